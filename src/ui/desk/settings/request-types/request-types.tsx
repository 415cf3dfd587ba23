import type { SectionProps } from '../sections.ts';

export function RequestTypesSettings(_: SectionProps) {
  return null;
}
