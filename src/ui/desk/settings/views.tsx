import type { SectionProps } from './sections.ts';

export function ViewsSettings(_: SectionProps) {
  return null;
}
