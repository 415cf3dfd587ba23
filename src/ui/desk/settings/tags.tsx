import type { SectionProps } from './sections.ts';

export function TagsSettings(_: SectionProps) {
  return null;
}
