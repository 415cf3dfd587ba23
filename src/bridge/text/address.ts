/**
 * Mentions of the bot in a message to it. They are found by their ids, never by what looks like them: a message is
 * converted with a mark as the bot's name, so `help@deskbridge.example` and `@deskbridges` stay as they are.
 */

const FIRST_PRIVATE = 0xe0_00;
const LAST_PRIVATE = 0xf8_ff;

/**
 * Returns a character that does not occur in a message: it stands for the bot's name while the message is converted.
 */
export function unusedMark(message: unknown): string {
  const used = JSON.stringify(message);
  for (let code = FIRST_PRIVATE; code <= LAST_PRIVATE; code += 1) {
    const mark = String.fromCodePoint(code);
    if (!used.includes(mark)) return mark;
  }
  return String.fromCodePoint(LAST_PRIVATE);
}

/**
 * Returns the words of a message without the mentions of the bot, for a title. Separators behind a leading mention go
 * too, and no gap is left where a mention stood in front of punctuation.
 * @param words with `@` and the mark for each mention.
 */
export function wordsWithoutMentions(mark: string, words: string): string {
  return words
    .replace(new RegExp(`^(?:\\s*@${mark}[\\s,:;–—-]*)+`, 'u'), '')
    .replaceAll(new RegExp(`[\\s,]*@${mark}(?=[,.:;!?)])`, 'gu'), '')
    .replaceAll(`@${mark}`, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the Markdown of a message without the mentions of the bot at its start; unchanged if it says nothing else.
 * Others keep the bot's name.
 * @param name the bot's name as Markdown.
 */
export function markdownWithoutMentions(mark: string, markdown: string, name: string): string {
  const withNames = (text: string) => text.replaceAll(`@${mark}`, `@${name}`);
  // A list below the mention keeps its first dash.
  const start = new RegExp(`^(?:@${mark}[^\\S\\n]*[,:;–—-]*[^\\S\\n]*(?:\\\\?\\n)*)+`, 'u');
  const [cut = ''] = start.exec(markdown) ?? [];
  // Without a mention at its start, all of it is syntax as it was written.
  if (cut === '') return withNames(markdown);
  const rest = markdown.slice(cut.length);
  if (rest.trim() === '') return withNames(markdown);
  // Below the mention's line, Markdown is syntax as it was.
  return withNames(cut.endsWith('\n') ? rest : escapedStart(rest));
}

/**
 * Text that would be syntax at the start of a line once the mention before it is removed: `# 1`, `1. a`, `> b`, `+ c`.
 */
function escapedStart(markdown: string): string {
  return markdown.replace(/^(?=#{1,6}(?:\s|$)|>|\+\s)/, '\\').replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\');
}
