/** What people begin with in the languages of most workspaces, and the ways to ask what this is. */
const GREETINGS = new Set(
  [
    'hi hello hey hiya howdy yo morning greetings help start',
    'hallo moin servus guten tag morgen abend hilfe',
    'hola buenos dias días buenas tardes ayuda bonjour salut aide ciao buongiorno aiuto',
    'olá oi bom dia ajuda hej hei hallå goddag dag hoi cześć ahoj privet привет',
    'good afternoon evening day there everyone all bot deskbridge',
  ].flatMap((line) => line.split(' ')),
);
/** A greeting of more words says something. */
const WORDS_AT_MOST = 4;

/** Whether a message is a greeting, or a cry for help, and nothing more (B8); the text comes without markup. */
export function isGreeting(words: string): boolean {
  const said = words
    .toLowerCase()
    .replaceAll(/:[\w+-]+:/g, ' ')
    .match(/[\p{L}\p{M}]+/gu);
  if (!said) return words.trim() !== '' && !/[\p{N}]/u.test(words);
  return said.length <= WORDS_AT_MOST && said.every((word) => GREETINGS.has(word));
}
