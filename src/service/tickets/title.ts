import { LIMITS } from '../../contract/index.ts';

/** A made title is cut here, at a word where there is one: it stands in lists and on cards. */
const MADE_TITLE = 120;

/** The title as given, or the start of the description's first line; null where both say nothing. */
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
