import { shorten } from '../../../contract/cut.ts';

const MOST = 60;

/** Personalities have no names: their persona and tone stand for one. */
export function personalityName(
  { persona, tone }: { persona: string | null; tone: string | null },
  undescribed: string,
): string {
  const words = [persona, tone].filter(Boolean).join(', ') || undescribed;
  return shorten(words, MOST);
}
