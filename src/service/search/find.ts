import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { findByWords } from './by-words.ts';
import type { Subject } from './built-in/concepts.ts';
import { type Bounds, BOUNDS } from './candidates.ts';
import { BY_WORDS, isListed } from './cut-off.ts';
import { FrequencyCache } from './frequencies.ts';
import { type Candidate, rank, type Ranked } from './rank.ts';
import { readsNotes, type Scope } from './scope.ts';
import type { Described } from './vectors/nearest.ts';
import { corrected, type Term, termsOf } from './words.ts';

/** Tickets found by words that are ranked. */
const RANKED = 60;

export interface Found {
  id: string;
  /** Why it was found: by its words, with these lexemes, or by its similar meaning. */
  by: 'words' | 'meaning';
  lexemes: readonly string[];
  score: number;
  /** Whether enough of the words, or the meaning, is there to show it to people. */
  isGood: boolean;
}

/** Understands a search; undefined while there are no vectors. */
export type Meaning = (db: ServiceDb, words: string, scope: Scope) => Promise<Understanding | undefined>;

export interface Understanding {
  /** What the search is about, if the provider can tell. */
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
  const terms = await termsOf(db, words, scope.workspaceIds);
  const understanding = await meaning?.(db, corrected(words, terms), scope);
  const ranked = await rankAll(db, { words, terms, understanding, scope, bounds });
  const byMeaning = understanding && isListed(ranked, understanding.subject?.strength);
  return ranked
    .map((hit): Found => {
      const { id, lexemes, score } = hit;
      const by = hit.isSameTitle || hit.words >= BY_WORDS ? 'words' : 'meaning';
      return { id, by, lexemes, score, isGood: byMeaning ? byMeaning(hit) : by === 'words' };
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
}

/** Returns everything that words or meaning find, ranked, without a cut-off. */
export async function rankAll(
  db: ServiceDb,
  { words, terms, understanding, scope, bounds }: Asked,
): Promise<Ranked[]> {
  const byWords = await findByWords(db, words, terms, scope, RANKED, bounds);
  const near = new Map(
    (await understanding?.near(byWords))?.map((each): [string, Described] => [each.ticketId, each]),
  );
  const ids = [...new Set([...byWords, ...near.keys()])];
  if (ids.length === 0) return [];
  const [candidates, common] = await Promise.all([
    readCandidates(db, words, terms, scope, ids),
    frequencies.of(db, scope.workspaceIds),
  ]);
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
