import type { SectionProps } from '../sections.ts';

export function ChannelsSettings(_: SectionProps) {
  return null;
}
