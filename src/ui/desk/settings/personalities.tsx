import type { SectionProps } from './sections.ts';

export function PersonalitiesSettings(_: SectionProps) {
  return null;
}
