import type { SectionProps } from './sections.ts';

export function CannedRepliesSettings(_: SectionProps) {
  return null;
}
