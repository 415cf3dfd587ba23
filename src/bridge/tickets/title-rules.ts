/** Maximum length of a ticket's title (B6). */
export const TITLE_CHARACTERS = 120;

/** The title of a ticket without one. */
export const UNTITLED = 'Untitled request';

/** Returns the first sentence of a text, cut at a word below 120 characters (B6); the text has no markup. */
export function titleOf(words: string): string {
  const line =
    words
      .split('\n')
      .map((one) => one.trim())
      .find((one) => one !== '') ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(line)?.[0] ?? line;
  // A first sentence that is only a greeting ("Hi!") says nothing: then the whole line is the better title.
  const title = sentence.length >= 12 ? sentence : line;
  if (title.length < TITLE_CHARACTERS) return title.replace(/\.$/, '');
  const cut = title.slice(0, TITLE_CHARACTERS - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > TITLE_CHARACTERS / 2 ? cut.slice(0, word) : cut.replace(/[\uD800-\uDBFF]$/, '')).trimEnd()}…`;
}
