import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import type { Subject } from './built-in/concepts.ts';
import { type Bounds, BOUNDS, candidatesOf } from './candidates.ts';
import { BY_WORDS, isListed } from './cut-off.ts';
import { FrequencyCache } from './frequencies.ts';
import { type Candidate, rank, type Ranked } from './rank.ts';
import { sameTitleOf } from './index/write.ts';
import { matchingTexts, type MatchingText } from './matching-texts.ts';
import type { Scope } from './scope.ts';
import type { Described } from './vectors/nearest.ts';
import { corrected, type Term, termsOf } from './words.ts';

export interface Found {
  id: string;
  /** Why it was found: by its words, with these lexemes, or by its similar meaning. */
  by: 'words' | 'meaning';
  lexemes: readonly string[];
  /** The texts that have some of them. */
  texts: readonly MatchingText[];
  /** Words of the search, and whether it holds all of them. */
  wordCount: number;
  hasAll: boolean;
  score: number;
  /** Whether enough of the words, or the meaning, is there to show it to people. */
  isGood: boolean;
}

/** Understands a search; undefined while there are no vectors. */
export type Meaning = (db: ServiceDb, words: string, scope: Scope) => Promise<Understanding | undefined>;

export interface Understanding {
  /** The topic of the search, if the provider knows it. */
  subject: Subject | undefined;
  /** The nearest tickets, and these others. */
  near: (others: readonly string[]) => Promise<Described[]>;
}

const frequencies = new FrequencyCache();
const NONE: ReadonlyMap<number, number> = new Map();

export interface Wanted {
  limit: number;
  bounds?: Bounds;
  /** False: also those that share only a word or two, for callers that rank them themselves. */
  isForPeople?: boolean;
}

/**
 * Returns tickets with the words or the meaning of a search, best first: before all others those that hold every word
 * that says something, in whichever of their texts; all of them, as long as they are fewer than `limit`. Others that
 * share only a word or two are left out.
 */
export async function findTickets(
  db: ServiceDb,
  meaning: Meaning | undefined,
  words: string,
  scope: Scope,
  { limit, bounds = BOUNDS, isForPeople = true }: Wanted,
): Promise<Found[]> {
  if (scope.workspaceIds.length === 0) return [];
  const terms = await termsOf(db, words, scope.workspaceIds);
  const understanding = await meaning?.(db, corrected(words, terms), scope);
  const ranked = await rankAll(db, { words, terms, understanding, scope, bounds, limit });
  const byMeaning = understanding && isListed(ranked, understanding.subject?.strength);
  return ranked
    .map((hit): Found => {
      const { id, lexemes, score, texts } = hit;
      const by = hit.isSameTitle || hit.hasAll || hit.words >= BY_WORDS ? 'words' : 'meaning';
      // No likelihood cuts off a ticket that has every word.
      const isGood = hit.hasAll || (byMeaning ? byMeaning(hit) : by === 'words');
      return { id, by, lexemes, texts, wordCount: terms.length, hasAll: hit.hasAll, score, isGood };
    })
    .filter(({ isGood }) => !isForPeople || isGood)
    .slice(0, limit);
}

/** Orders tickets by how much of the words they contain. */
export async function rankTickets(
  db: ServiceDb,
  words: string,
  terms: readonly Term[],
  ids: readonly string[],
  scope: Pick<Scope, 'workspaceIds' | 'viewer'>,
): Promise<string[]> {
  const [candidates, common] = await Promise.all([
    readCandidates(db, words, terms, scope, ids),
    frequencies.of(db, scope.workspaceIds),
  ]);
  const ranked = rank(
    terms,
    candidates.map((each) => ({ ...each, similarity: undefined, concepts: NONE })),
    common,
  );
  return ranked.map(({ id }) => id);
}

interface Asked {
  words: string;
  terms: readonly Term[];
  understanding: Understanding | undefined;
  scope: Scope;
  bounds: Bounds;
  limit: number;
}

/** Returns everything that words or meaning find, ranked, without a cut-off. */
export async function rankAll(
  db: ServiceDb,
  { words, terms, understanding, scope, bounds, limit }: Asked,
): Promise<Ranked[]> {
  const common = await frequencies.of(db, scope.workspaceIds);
  const byWords = await candidatesOf(db, { words, terms, scope, bounds, frequencies: common }, limit);
  const near = new Map(
    (await understanding?.near(byWords))?.map((each): [string, Described] => [each.ticketId, each]),
  );
  const ids = [...new Set([...byWords, ...near.keys()])];
  if (ids.length === 0) return [];
  const candidates = await readCandidates(db, words, terms, scope, ids);
  return rank(
    terms,
    candidates.map((each) => ({
      ...each,
      similarity: near.get(each.id)?.similarity,
      concepts: near.get(each.id)?.concepts ?? NONE,
    })),
    common,
    new Map(understanding?.subject?.words),
  );
}

/** Returns the index data of the words, for tickets known to be within the scope. */
async function readCandidates(
  db: ServiceDb,
  words: string,
  terms: readonly Term[],
  scope: Pick<Scope, 'workspaceIds' | 'viewer'>,
  ids: readonly string[],
): Promise<Omit<Candidate, 'similarity' | 'concepts'>[]> {
  const texts = await matchingTexts(db, terms, scope, ids);
  const { rows } = await sql<{ id: string; created_at: Date; same: boolean; title: string[] }>`
    select s.ticket_id as id, s.created_at, s.title = ${sameTitleOf(words)} as same,
      tsvector_to_array(s.title_words) as title
    from ticket_search s
    where ${isOneOf('s.workspace_id', scope.workspaceIds)} and s.ticket_id = any(${[...ids]}::text[])`.execute(
    db,
  );
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    isSameTitle: row.same,
    title: row.title,
    texts: texts.filter(({ ticketId }) => ticketId === row.id),
  }));
}
