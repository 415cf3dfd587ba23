import type { SectionProps } from './sections.ts';

export function ApiKeysSettings(_: SectionProps) {
  return null;
}
