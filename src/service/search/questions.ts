import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';

/** Words that weaker queries are made of; a whole pasted text would make hundreds. */
const MOST_WORDS = 8;

/**
 * What is asked of the index, the strictest first, as texts of the type `tsquery`: all of the words, all but one, any
 * two, any one. Empty where the words are none to the language (`the`).
 */
export async function questionsOf(db: ServiceDb, words: string): Promise<string[]> {
  const { rows } = await sql<{ all_words: string; words: string[] }>`
    select plainto_tsquery(language::regconfig, ${words})::text as all_words,
      tsvector_to_array(to_tsvector(language::regconfig, ${words})) as words
    from search_setting`.execute(db);
  const [asked] = rows;
  if (!asked || asked.all_words === '') return [];
  const each = asked.words.slice(0, MOST_WORDS).map(quoted);
  const without = each.map((_, left) => each.filter((_word, place) => place !== left).join(' & '));
  const pairs = each.flatMap((one, place) => each.slice(place + 1).map((other) => `${one} & ${other}`));
  return [
    asked.all_words,
    ...(each.length > 3 ? [oneOf(without)] : []),
    ...(each.length > 2 ? [oneOf(pairs)] : []),
    ...(each.length > 1 ? [oneOf(each)] : []),
  ];
}

/** A word as a `tsquery` writes it, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

export function oneOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' | ');
}
