import type { settings } from '../messages/settings.ts';

export interface SectionProps {
  /** The record in the address, `new` for one that is being made; undefined on the section's first page. */
  item: string | undefined;
}

export type SectionId = keyof typeof settings.sections;
