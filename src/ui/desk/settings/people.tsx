import type { SectionProps } from './sections.ts';

export function PeopleSettings(_: SectionProps) {
  return null;
}
