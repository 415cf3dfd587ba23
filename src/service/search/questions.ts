import type { Option, Term } from './words.ts';

/** Words that weaker queries are made of. */
const MOST_WORDS = 8;

/** What is found by one word of a search, as a `tsquery`. Synonyms widen a search by meaning, never a filter. */
export function anyOf(term: Term, kinds: readonly Option['kind'][]): string {
  const options = term.options
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ lexemes }) => lexemes.map(quoted).join(' & '));
  return oneOf([...options, ...(term.isPrefix ? [`${quoted(term.word)}:*`] : [])]);
}

export const AS_WRITTEN = ['itself', 'typo'] as const;
export const BY_MEANING = [...AS_WRITTEN, 'synonym'] as const;

/** All of the words, as a list's filter asks for them; undefined where there are none. */
export function everyOne(terms: readonly Term[]): string | undefined {
  if (terms.length === 0) return undefined;
  return terms.map((term) => `(${anyOf(term, AS_WRITTEN)})`).join(' & ');
}

/**
 * What is asked of the index, the strictest first, as texts of the type `tsquery`: all of the words, all of them or
 * synonyms, all but one, any two, any one.
 */
export function questionsOf(terms: readonly Term[]): string[] {
  const all = everyOne(terms);
  if (all === undefined) return [];
  const each = terms.slice(0, MOST_WORDS).map((term) => `(${anyOf(term, BY_MEANING)})`);
  const without = each.map((_, left) => each.filter((_word, place) => place !== left).join(' & '));
  const pairs = each.flatMap((one, place) => each.slice(place + 1).map((other) => `${one} & ${other}`));
  const questions = [
    all,
    each.join(' & '),
    ...(each.length > 3 ? [oneOf(without)] : []),
    ...(each.length > 2 ? [oneOf(pairs)] : []),
    ...(each.length > 1 ? [oneOf(each)] : []),
  ];
  return [...new Set(questions)];
}

/** A word as a `tsquery` writes it, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

export function oneOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' | ');
}
