import { LIMITS } from '../../contract/index.ts';

/** Maximum length of a generated title, cut at a word if possible: it is shown in lists and on cards. */
const MADE_TITLE = 120;

/** Returns the given title, or the start of the description's first line; null if both are empty. */
export function titleOf(
  title: string | null | undefined,
  description: string | null | undefined,
): string | null {
  const given = title?.trim();
  if (given) return given.slice(0, LIMITS.ticketTitle);
  const line = description?.trim().split('\n', 1)[0]?.trim();
  if (!line) return null;
  if (line.length <= MADE_TITLE) return line;
  const cut = line.slice(0, MADE_TITLE).replace(/[\uD800-\uDBFF]$/, '');
  const word = cut.lastIndexOf(' ');
  return `${(word > MADE_TITLE / 2 ? cut.slice(0, word) : cut).trimEnd()}…`;
}
