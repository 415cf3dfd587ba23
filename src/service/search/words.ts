import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { readLines } from './built-in/concepts.ts';
import { editDistance } from './edit-distance.ts';
import { stemsOfWords } from './index/lexemes.ts';
import { referenceLexeme } from './index/texts.ts';
import { fold, isOfLetters, readWords, type Word } from './reader.ts';

/** Words of a search that are looked up, at most: each reads the whole index of its word, and a pasted text has a hundred. */
const MOST_WORDS = 32;
/** Words of a search that are corrected. */
const MOST_CORRECTED = 12;
/** Minimum length of a word that is also searched as a prefix and as a typo. */
const SHORTEST_PREFIX = 3;
const SHORTEST_MISSPELT = 3;
const VERSION = /^v\d+$/;
/** Similar words that are compared letter by letter, and the maximum number of corrections. */
const ALIKE = 30;
const MEANT = 5;

/**
 * What a text may contain instead of a word of the search: all of these lexemes, for that share of the word's weight.
 */
export interface Option {
  lexemes: readonly string[];
  /** And one that begins with this. */
  begins?: string;
  kind: 'itself' | 'beginning' | 'parts' | 'typo';
}

/** A word of the search, with everything that matches it. */
export interface Term {
  word: string;
  /** The known word that it was probably meant to be, if it is a typo. */
  meant?: string;
  options: Option[];
}

/**
 * Returns the words of a search that say something, at most 32, each with its stem, beginnings and corrections. Words
 * like "the" say something only where there are no others.
 */
export async function termsOf(db: ServiceDb, text: string, workspaceIds: readonly string[]): Promise<Term[]> {
  const read = readWords(fold(text));
  const words = [...new Map(read.map((word) => [word.text, word])).values()];
  if (words.length === 0) return [];
  const stems = await stemsOfWords(
    db,
    words.flatMap(({ parts }) => parts),
  );
  const isStop = ({ parts }: Word) => parts.every((part) => stems.get(part)?.length === 0);
  const content = words.filter((word) => !isStop(word));
  const asked = longestOf(content.length > 0 ? content : words);
  const references = await referencesOf(db, asked, workspaceIds);
  const meant = await corrections(db, asked, workspaceIds);
  return asked.map((word): Term => {
    const likely = meant.get(word.text) ?? [];
    const [correction] = likely;
    const reference = references.get(word.text) ?? [];
    const options = optionsOf(word, stems);
    return {
      word: word.text,
      ...(correction && { meant: correction.word }),
      options:
        reference.length > 0
          ? [
              ...reference.map((lexeme): Option => ({ lexemes: [lexeme], kind: 'itself' })),
              ...options.filter(({ kind }) => kind === 'itself'),
            ]
          : [...options, ...likely.map(({ lexemes }): Option => ({ lexemes, kind: 'typo' }))],
    };
  });
}

/** Returns how many words of a search are looked up, at most: words like "the" are not known yet. */
export function wordCountOf(text: string): number {
  const words = new Set(readWords(fold(text)).map((word) => word.text));
  return Math.min(words.size, MOST_WORDS);
}

/**
 * Returns the longest words, in their order: those of a pasted message that tell it from others, as names of files and
 * errors are long. What has every word of the message has these, too.
 */
function longestOf(words: readonly Word[]): Word[] {
  const longest = new Set(words.toSorted((a, b) => b.text.length - a.text.length).slice(0, MOST_WORDS));
  return words.filter((word) => longest.has(word));
}

function optionsOf(word: Word, stems: ReadonlyMap<string, string[]>): Option[] {
  const { parts, pairs } = word;
  const [first = '', ...rest] = parts;
  if (word.isDense) {
    // The last sign alone is the end of the run, wherever that is in a text.
    if (rest.length === 0) return [{ lexemes: [], begins: first, kind: 'itself' }];
    return [{ lexemes: parts.slice(0, -1), kind: 'itself' }];
  }
  if (rest.length === 0) {
    const stem = stems.get(first) ?? [];
    const itself: Option = { lexemes: stem.length > 0 ? stem : [first], kind: 'itself' };
    if (Array.from(first).length < SHORTEST_PREFIX) return [itself];
    return [itself, { lexemes: [], begins: first, kind: 'beginning' }];
  }
  const options: Option[] = [
    { lexemes: pairs, kind: 'itself' },
    { lexemes: pairs.slice(0, -1), begins: pairs.at(-1) ?? '', kind: 'beginning' },
  ];
  // A version with its `v` finds the one without.
  if (VERSION.test(first))
    options.push({ lexemes: [pairs[0]?.slice(1) ?? '', ...pairs.slice(1)], kind: 'parts' });
  // `e-mails` finds "e-mail", and `printer/scanner` finds "scanner and printer"; numbers are found only as they stand.
  const inside = parts.flatMap((part) => stems.get(part) ?? []);
  if (parts.every(isOfLetters) && inside.length > 1) options.push({ lexemes: inside, kind: 'parts' });
  return options;
}

/** Returns the search with its typos corrected: what a misspelt word means is not known. */
export function corrected(text: string, terms: readonly Term[]): string {
  const meant = new Map(terms.map(({ word, meant }) => [word, meant]));
  return text.replace(/[\p{L}\p{M}]+/gu, (word) => meant.get(fold(word)) ?? word);
}

/** A reference (`IT-101`) finds its ticket, under every prefix that its queue has had. */
async function referencesOf(
  db: ServiceDb,
  words: readonly Word[],
  workspaceIds: readonly string[],
): Promise<Map<string, string[]>> {
  const likely = words.map(({ text }) => text).filter((text) => /^[\p{L}\p{N}]+-\d+$/u.test(text));
  const found = new Map<string, string[]>();
  if (likely.length === 0) return found;
  const { rows } = await sql<{ word: string; queue_id: string; number: string }>`
    select distinct w.word, named.queue_id, split_part(w.word, '-', 2) as number
    from unnest(${likely}::text[]) w (word)
    join queue_prefix named on lower(named.prefix) = split_part(w.word, '-', 1)
      and named.workspace_id = any(${[...workspaceIds]}::text[])`.execute(db);
  for (const { word, queue_id, number } of rows)
    found.set(word, [...(found.get(word) ?? []), referenceLexeme(queue_id, number)]);
  return found;
}

interface Correction {
  word: string;
  lexemes: string[];
}

/** Returns corrections of words that no ticket has: similar known words, the most similar first. */
async function corrections(
  db: ServiceDb,
  asked: readonly Word[],
  workspaceIds: readonly string[],
): Promise<Map<string, Correction[]>> {
  const likely = asked
    .filter(({ parts, isDense }) => !isDense && parts.length === 1)
    .map(({ text }) => text)
    .filter((word) => isOfLetters(word) && word.length >= SHORTEST_MISSPELT && !isEnglish(word))
    .slice(0, MOST_CORRECTED);
  const meant = new Map<string, Correction[]>();
  if (likely.length === 0) return meant;
  const { rows: known } = await sql<{ word: string }>`
    select w.word from unnest(${likely}::text[]) w (word) where exists (
      select from search_word k where k.workspace_id = any(${[...workspaceIds]}::text[]) and k.word = w.word)`.execute(
    db,
  );
  const words = likely.filter((word) => !known.some((each) => each.word === word));
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
