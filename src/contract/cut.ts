/** Finds characters as people see them: a letter with its accents, a flag, a family (graphemes). */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the beginning of a text that has at most `length` UTF-16 units and ends between two characters as
 * people see them. Only a single one that is longer itself is cut, between code points.
 */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // With the code point behind the cut, which may belong to the last character. From the start, as flags pair up from
  // there.
  const last = graphemes.segment(text.slice(0, length + 2)).containing(length);
  if (last !== undefined && last.index > 0) return text.slice(0, last.index);
  const first = text.charCodeAt(length - 1);
  return text.slice(0, first >= 0xd8_00 && first <= 0xdb_ff ? length - 1 : length);
}

/** Returns the first character of a text as people see it; empty if there is none. */
export function firstCharacter(text: string): string {
  return graphemes.segment(text).containing(0)?.segment ?? '';
}

/** Shortens a text to a length in UTF-16 units, with an ellipsis. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${cut(text, length - 1)}…` : text;
}

/** Shortens a text like `shorten`, behind a word if one ends in the second half. */
export function shortenAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const beginning = cut(text, length - 1);
  const word = beginning.lastIndexOf(' ');
  return `${(word > length / 2 ? beginning.slice(0, word) : beginning).trimEnd()}…`;
}
