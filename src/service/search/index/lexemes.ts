import { type RawBuilder, sql } from 'kysely';

import type { ServiceDb } from '../../handler.ts';
import { fold, isOfLetters, lexemesOf, readWords } from '../reader.ts';

/** The content of an index row. */
export interface Lexemes {
  /** Words, their parts and pairs. */
  words: string[];
  /** Words that consist of letters only, which have stems. */
  letters: string[];
}

/** Bytes of the lexemes of a row: Postgres refuses a tsvector of more than a megabyte, stems included. */
const ROW_BYTES = 300_000;

/** Returns the lexemes of a plain text, in as many rows as they need: one, other than for endless texts. */
export function lexemeRows(text: string, more: readonly string[] = []): Lexemes[] {
  const rows: Lexemes[] = [];
  let words = new Set(more);
  let bytes = 0;
  const end = () => {
    if (words.size > 0) rows.push({ words: [...words], letters: [...words].filter(isOfLetters) });
    words = new Set();
    bytes = 0;
  };
  for (const word of readWords(fold(text))) {
    // What finds a word stands in one row, other than of a word without an end.
    for (const lexeme of lexemesOf(word)) {
      if (bytes > 2 * ROW_BYTES) end();
      if (words.has(lexeme)) continue;
      words.add(lexeme);
      bytes += Buffer.byteLength(lexeme);
    }
    if (bytes > ROW_BYTES) end();
  }
  end();
  return rows;
}

/** The stems of a column of words, as rows with a column `stem`, in the language `language`; a stop word has none. */
export const stemsIn = (letters: string): RawBuilder<unknown> => sql`
  select unnest(tsvector_to_array(to_tsvector(language::regconfig, letter))) as stem
  from unnest(${sql.ref(letters)}) letter`;

/** Returns the stems of words that have some. Those of a stop word are none, and of others usually one. */
export async function stemsOfWords(db: ServiceDb, words: Iterable<string>): Promise<Map<string, string[]>> {
  const letters = [...new Set(words)].filter(isOfLetters);
  if (letters.length === 0) return new Map();
  const { rows } = await sql<{ word: string; stems: string[] }>`
    select word, tsvector_to_array(to_tsvector(language::regconfig, word)) as stems
    from search_setting, unnest(${letters}::text[]) word`.execute(db);
  return new Map(rows.map(({ word, stems }) => [word, stems]));
}
