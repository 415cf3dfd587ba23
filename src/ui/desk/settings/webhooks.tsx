import type { SectionProps } from './sections.ts';

export function WebhooksSettings(_: SectionProps) {
  return null;
}
