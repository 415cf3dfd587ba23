/** Greetings in the languages of most workspaces, and questions about what this is. */
const GREETINGS = new Set(
  [
    'hi hello hey hiya howdy yo morning greetings help start',
    'hallo moin servus guten tag morgen abend hilfe',
    'hola buenos dias días buenas tardes ayuda bonjour salut aide ciao buongiorno aiuto',
    'olá oi bom dia ajuda hej hei hallå goddag dag hoi cześć ahoj privet привет',
    'good afternoon evening day there everyone all bot deskbridge',
  ].flatMap((line) => line.split(' ')),
);
/** A message with more words says something else. */
const WORDS_AT_MOST = 4;

/** Returns whether a message is only a greeting or a call for help (B8); the text has no markup. */
export function isGreeting(words: string): boolean {
  const said = words
    .toLowerCase()
    .replaceAll(/:[\w+-]+:/g, ' ')
    .match(/[\p{L}\p{M}]+/gu);
  if (!said) return words.trim() !== '' && !/[\p{N}]/u.test(words);
  return said.length <= WORDS_AT_MOST && said.every((word) => GREETINGS.has(word));
}
