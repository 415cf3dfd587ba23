import type { SectionProps } from '../sections.ts';

export function BusinessHoursSettings(_: SectionProps) {
  return null;
}
