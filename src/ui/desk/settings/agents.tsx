import type { SectionProps } from './sections.ts';

export function AgentsSettings(_: SectionProps) {
  return null;
}
