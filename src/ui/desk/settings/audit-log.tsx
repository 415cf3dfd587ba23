import type { SectionProps } from './sections.ts';

export function AuditLogSettings(_: SectionProps) {
  return null;
}
