import type { SectionProps } from '../sections.ts';

export function QueuesSettings(_: SectionProps) {
  return null;
}
