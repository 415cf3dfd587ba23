import type { SectionProps } from './sections.ts';

export function KnowledgeSettings(_: SectionProps) {
  return null;
}
