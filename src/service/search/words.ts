import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { readLines } from './built-in/concepts.ts';
import { editDistance } from './edit-distance.ts';

/** Words of a search that are used; a pasted text may contain hundreds. */
const MOST_WORDS = 12;
/** Minimum length of a word that is also searched as a prefix and as a typo. */
const SHORTEST_PREFIX = 3;
const SHORTEST_MISSPELT = 3;
/** Similar words that are compared letter by letter, and the maximum number of corrections. */
const ALIKE = 30;
const MEANT = 5;

const WORDS = /[\p{L}\p{N}]+(?:[-._@'’][\p{L}\p{N}]+)*/gu;

/**
 * What a ticket may contain instead of a word of the search: all of these lexemes, for that share of the word's weight.
 */
export interface Option {
  lexemes: readonly string[];
  kind: 'itself' | 'typo';
}

/** A word of the search, with everything that matches it. */
export interface Term {
  word: string;
  /** The known word that it was probably meant to be, if it is a typo. */
  meant?: string;
  options: Option[];
  /** Also matches the beginning of other words. */
  isPrefix: boolean;
}

/** Returns the words of a search, each with its stem and corrections. */
export async function termsOf(db: ServiceDb, text: string, workspaceIds: readonly string[]): Promise<Term[]> {
  const words = [...new Set(text.toLowerCase().match(WORDS) ?? [])].slice(0, 4 * MOST_WORDS);
  if (words.length === 0) return [];
  const { rows } = await sql<{ word: string; lexemes: string[]; known: boolean }>`
    select w.word, tsvector_to_array(to_tsvector(language::regconfig, w.word)) as lexemes,
      exists (select from search_word k where k.workspace_id = any(${[...workspaceIds]}::text[]) and k.word = w.word) as known
    from search_setting, unnest(${words}::text[]) with ordinality w (word, place) order by place`.execute(db);
  const meaning = rows.filter(({ lexemes }) => lexemes.length > 0).slice(0, MOST_WORDS);
  const references = await referencesOf(
    db,
    meaning.map(({ word }) => word),
    workspaceIds,
  );
  const unknown = meaning.filter(
    ({ word, known }) =>
      !known && !isEnglish(word) && word.length >= SHORTEST_MISSPELT && /^\p{L}+$/u.test(word),
  );
  const meant = await meantWords(
    db,
    unknown.map(({ word }) => word),
    workspaceIds,
  );
  return meaning.map(({ word, lexemes }): Term => {
    const reference = references.get(word);
    if (reference)
      return {
        word,
        options: reference.map((lexeme) => ({ lexemes: [lexeme], kind: 'itself' })),
        isPrefix: false,
      };
    const likely = meant.get(word) ?? [];
    const typos = likely.map((found): Option => ({ lexemes: found.lexemes, kind: 'typo' }));
    return {
      word,
      ...(likely[0] && { meant: likely[0].word }),
      options: [{ lexemes, kind: 'itself' }, ...typos],
      isPrefix: word.length >= SHORTEST_PREFIX && /^[\p{L}\p{N}]+$/u.test(word),
    };
  });
}

/** Returns the search with its typos corrected: what a misspelt word means is not known. */
export function corrected(text: string, terms: readonly Term[]): string {
  const meant = new Map(terms.map(({ word, meant }) => [word, meant]));
  return text.replace(WORDS, (word) => meant.get(word.toLowerCase()) ?? word);
}

/** A reference (`IT-101`) finds its ticket, under every prefix that its queue has had. */
async function referencesOf(
  db: ServiceDb,
  words: readonly string[],
  workspaceIds: readonly string[],
): Promise<Map<string, string[]>> {
  const likely = words.filter((word) => /^[\p{L}\p{N}]+-\d+$/u.test(word));
  const found = new Map<string, string[]>();
  if (likely.length === 0) return found;
  const { rows } = await sql<{ word: string; lexeme: string }>`
    select distinct w.word, lower(other.prefix) || '-' || split_part(w.word, '-', 2) as lexeme
    from unnest(${likely}::text[]) w (word)
    join queue_prefix named on lower(named.prefix) = split_part(w.word, '-', 1)
      and named.workspace_id = any(${[...workspaceIds]}::text[])
    join queue_prefix other on other.workspace_id = named.workspace_id and other.queue_id = named.queue_id`.execute(
    db,
  );
  for (const { word, lexeme } of rows) found.set(word, [...(found.get(word) ?? []), lexeme]);
  return found;
}

interface Correction {
  word: string;
  lexemes: string[];
}

/** Returns corrections of each unknown word: similar known words, the most similar first. */
async function meantWords(
  db: ServiceDb,
  words: readonly string[],
  workspaceIds: readonly string[],
): Promise<Map<string, Correction[]>> {
  const meant = new Map<string, Correction[]>();
  if (words.length === 0) return meant;
  const slips = words.map((word) => ({ word, slips: slipsOf(word) }));
  const { rows } = await sql<{ asked: string; word: string; lexemes: string[] }>`
    select asked, word, tsvector_to_array(to_tsvector(language::regconfig, word)) as lexemes from search_setting, (
      select asked, similar_words(asked, ${[...workspaceIds]}::text[], ${ALIKE}) as word from unnest(${[...words]}::text[]) asked
      union
      select s.asked, w.word from jsonb_to_recordset(${JSON.stringify(
        slips.flatMap(({ word, slips: all }) => all.map((slip) => ({ asked: word, slip }))),
      )}::jsonb) s (asked text, slip text)
      join search_word w on w.workspace_id = any(${[...workspaceIds]}::text[]) and w.word = s.slip
    ) alike`.execute(db);
  for (const word of words) {
    const most = word.length >= 8 ? 2 : 1;
    const near = rows
      .filter(({ asked, lexemes }) => asked === word && lexemes.length > 0)
      .map((row) => ({ ...row, distance: editDistance(word, row.word) }))
      .filter((row) => row.distance <= most && beginsAlike(word, row.word))
      .sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1))
      .slice(0, MEANT);
    meant.set(word, near);
  }
  return meant;
}

let everyday: ReadonlySet<string> | undefined;

/** Whether this is a common word: then it is no typing error, though no ticket has it ("vault" is not "fault"). */
function isEnglish(word: string): boolean {
  everyday ??= new Set(
    readLines()
      .join(' ')
      .toLowerCase()
      .match(/[a-z]+/g),
  );
  return everyday.has(word);
}

/** Typing errors seldom hit the first letter, other than by swapping it with the second one. */
function beginsAlike(one: string, other: string): boolean {
  return one[0] === other[0] || (one[0] === other[1] && one[1] === other[0]);
}

/** Returns a word with two letters swapped or one left out: short words have too few trigrams for the index. */
function slipsOf(word: string): string[] {
  const letters = Array.from(word);
  const swapped = letters.map((_, place) =>
    [...letters.slice(0, place), letters[place + 1], letters[place], ...letters.slice(place + 2)].join(''),
  );
  const shorter = letters.map((_, place) => letters.filter((_letter, other) => other !== place).join(''));
  return [...new Set([...swapped.slice(0, -1), ...shorter])];
}
