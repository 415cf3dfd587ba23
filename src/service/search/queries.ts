import type { Term } from './words.ts';

/** Words used for relaxed queries. */
const MOST_WORDS = 8;

/** Returns the `tsquery` of one word of a search. */
export function anyOf(term: Term): string {
  const options = term.options.map(({ lexemes }) => lexemes.map(quoted).join(' & '));
  return oneOf([...options, ...(term.isPrefix ? [`${quoted(term.word)}:*`] : [])]);
}

/** Returns the `tsquery` of all words, as in a list's filter; undefined if there are none. */
export function everyOne(terms: readonly Term[]): string | undefined {
  if (terms.length === 0) return undefined;
  return terms.map((term) => `(${anyOf(term)})`).join(' & ');
}

/**
 * Returns the queries to the index, the strictest first, as texts of the type `tsquery`: all of the words, all
 * but one, any two, any one.
 */
export function relaxedQueries(terms: readonly Term[]): string[] {
  const all = everyOne(terms);
  if (all === undefined) return [];
  const each = terms.slice(0, MOST_WORDS).map((term) => `(${anyOf(term)})`);
  const without = each.map((_, left) => each.filter((_word, place) => place !== left).join(' & '));
  const pairs = each.flatMap((one, place) => each.slice(place + 1).map((other) => `${one} & ${other}`));
  const queries = [
    all,
    ...(each.length > 3 ? [oneOf(without)] : []),
    ...(each.length > 2 ? [oneOf(pairs)] : []),
    ...(each.length > 1 ? [oneOf(each)] : []),
  ];
  return [...new Set(queries)];
}

/** Returns a word as a quoted `tsquery` lexeme. */
export function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

export function oneOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' | ');
}
