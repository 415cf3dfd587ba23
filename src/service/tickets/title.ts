import { cut, LIMITS, shortenAtWord } from '../../contract/index.ts';

/** Maximum length of a generated title, cut at a word if possible: it is shown in lists and on cards. */
const MADE_TITLE = 120;

/** Returns the given title, or the start of the description's first line; null if both are empty. */
export function titleOf(
  title: string | null | undefined,
  description: string | null | undefined,
): string | null {
  const given = title?.trim();
  if (given) return cut(given, LIMITS.ticketTitle);
  const line = description?.trim().split('\n', 1)[0]?.trim();
  if (!line) return null;
  return shortenAtWord(line, MADE_TITLE);
}
