import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { findByWords } from './by-words.ts';
import { type Bounds, BOUNDS } from './candidates.ts';
import { FrequencyCache } from './frequencies.ts';
import { type Candidate, rank, type Ranked } from './rank.ts';
import { readsNotes, type Scope } from './scope.ts';
import type { Near } from './vectors/nearest.ts';
import { type Term, termsOf } from './words.ts';

/** Tickets found by words that are ranked. */
const RANKED = 60;
/**
 * A hit must hold this share of the words' weight, or be this similar; weaker ones are not listed. Chosen on one half
 * of the labelled set (docs/api.md, Search).
 */
const CUT_OFF = { words: 0.6, similarity: 0.5 } as const;

export interface Found {
  id: string;
  /** Why it was found: by its words, with these lexemes, or by its similar meaning. */
  by: 'words' | 'meaning';
  lexemes: readonly string[];
  score: number;
  /** Whether enough of the words, or the meaning, is there to show it to people. */
  isGood: boolean;
}

/**
 * Finds by vectors: the nearest tickets, nearest first, and the similarity of these others; undefined while there are
 * no vectors.
 */
export type Meaning = (db: ServiceDb, words: string, scope: Scope) => Promise<Neighbours | undefined>;
type Neighbours = (others: readonly string[]) => Promise<Near[]>;

const frequencies = new FrequencyCache();

export interface Wanted {
  limit: number;
  bounds?: Bounds;
  /** False: also those that share only a word or two, for callers that rank them themselves. */
  isForPeople?: boolean;
}

/**
 * Returns tickets with the words or the meaning of a search, best first. Those that share only a word or two are left
 * out.
 */
export async function findTickets(
  db: ServiceDb,
  meaning: Meaning | undefined,
  words: string,
  scope: Scope,
  { limit, bounds = BOUNDS, isForPeople = true }: Wanted,
): Promise<Found[]> {
  if (scope.workspaceIds.length === 0) return [];
  const [terms, near] = await Promise.all([
    termsOf(db, words, scope.workspaceIds),
    meaning?.(db, words, scope),
  ]);
  const ranked = await rankAll(db, { words, terms, near, scope, bounds });
  return ranked
    .map(({ id, words: share, similarity, isSameTitle, lexemes, score }): Found => {
      const by = isSameTitle || share >= CUT_OFF.words ? 'words' : 'meaning';
      return { id, by, lexemes, score, isGood: by === 'words' || similarity >= CUT_OFF.similarity };
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
  scope: Pick<Scope, 'workspaceIds' | 'visibleTo' | 'team'>,
): Promise<string[]> {
  const [candidates, common] = await Promise.all([
    readCandidates(db, words, terms, scope, ids),
    frequencies.of(db, scope.workspaceIds),
  ]);
  const ranked = rank(
    terms,
    candidates.map((each) => ({ ...each, similarity: undefined })),
    common,
  );
  return ranked.map(({ id }) => id);
}

interface Asked {
  words: string;
  terms: readonly Term[];
  near: Neighbours | undefined;
  scope: Scope;
  bounds: Bounds;
}

/** Returns everything that words or meaning find, ranked, without a cut-off. */
export async function rankAll(
  db: ServiceDb,
  { words, terms, near, scope, bounds }: Asked,
): Promise<Ranked[]> {
  const byWords = await findByWords(db, words, terms, scope, RANKED, bounds);
  const similarities = new Map(
    (await near?.(byWords))?.map(({ ticketId, similarity }) => [ticketId, similarity]),
  );
  const ids = [...new Set([...byWords, ...similarities.keys()])];
  if (ids.length === 0) return [];
  const [candidates, common] = await Promise.all([
    readCandidates(db, words, terms, scope, ids),
    frequencies.of(db, scope.workspaceIds),
  ]);
  return rank(
    terms,
    candidates.map((each) => ({ ...each, similarity: similarities.get(each.id) })),
    common,
  );
}

/** Returns the index data of the words, for tickets known to be within the scope. */
async function readCandidates(
  db: ServiceDb,
  words: string,
  terms: readonly Term[],
  scope: Pick<Scope, 'workspaceIds' | 'visibleTo' | 'team'>,
  ids: readonly string[],
): Promise<Omit<Candidate, 'similarity'>[]> {
  const lexemes = [...new Set(terms.flatMap(({ options }) => options.flatMap(({ lexemes: each }) => each)))];
  const prefixes = terms.filter(({ isPrefix }) => isPrefix).map(({ word }) => word);
  const asked = sql`(lexeme = any(${lexemes}::text[]) or lexeme ^@ any(${prefixes}::text[]))`;
  const readable = readsNotes(scope);
  const notes = readable ? sql`case when ${readable} then s.notes else '' end` : sql`''::tsvector`;
  const { rows } = await sql<{
    id: string;
    created_at: Date;
    same: boolean;
    title: string[];
    found: Record<string, string> | null;
  }>`
    select s.ticket_id as id, s.created_at, lower(s.title) = lower(${words}) as same,
      tsvector_to_array(s.title_words) as title,
      (select json_object_agg(lexeme, coalesce(array_to_string(weights, ''), 'A'))
        from unnest(s.document || ${notes}) where ${asked}) as found
    from ticket_search s
    where ${isOneOf('s.workspace_id', scope.workspaceIds)} and s.ticket_id = any(${[...ids]}::text[])`.execute(
    db,
  );
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    isSameTitle: row.same,
    title: row.title,
    found: new Map(Object.entries(row.found ?? {})),
  }));
}
