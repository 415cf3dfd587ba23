import type { SectionProps } from './sections.ts';

export function StatusesSettings(_: SectionProps) {
  return null;
}
