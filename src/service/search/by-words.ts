import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { type Bounds, BOUNDS, newestMatches, sameTitle } from './candidates.ts';
import { relaxedQueries } from './queries.ts';
import { readsNotes, type Scope } from './scope.ts';
import type { Term } from './words.ts';

/** Weights of a match in a note, a message, the description and the title (D, C, B, A). */
const WEIGHTS = '{0.1, 0.2, 0.4, 1.0}';

/**
 * Returns tickets with words of a search, likely ones first, as candidates for the ranking: those with all of the
 * words, then those with fewer and fewer; each step runs only while there are fewer than `limit`.
 */
export async function findByWords(
  db: ServiceDb,
  words: string,
  terms: readonly Term[],
  scope: Scope,
  limit: number,
  bounds: Bounds = BOUNDS,
): Promise<string[]> {
  if (scope.workspaceIds.length === 0) return [];
  const found = new Set<string>();
  for (const query of relaxedQueries(terms)) {
    for (const id of await ranked(db, words, query, scope, limit + found.size, bounds)) found.add(id);
    if (found.size >= limit) break;
  }
  return [...found].slice(0, limit);
}

/**
 * Returns the tickets that match one query, best first: exact titles, then titles with all words, then the others by
 * Postgres's rank, which considers where a word occurs, how often and how close to the next one.
 */
async function ranked(
  db: ServiceDb,
  words: string,
  query: string,
  scope: Scope,
  limit: number,
  bounds: Bounds,
): Promise<string[]> {
  // The viewer decides whether private notes are searched.
  const notes = readsNotes(scope);
  const rank = sql`ts_rank(${WEIGHTS}::real[], s.document, asked.query, 1)`;
  const { rows } = await sql<{ ticket_id: string }>`
    with asked as materialized (select ${query}::tsquery as query),
    candidate as (
      select workspace_id, ticket_id, max(place) as place from (
        select 2 as place, c.* from ${sameTitle(words, scope, bounds)} c
        union all select 1, c.* from ${newestMatches('title_words', query, scope, bounds)} c
        union all select 0, c.* from ${newestMatches('document', query, scope, bounds)} c
        ${notes ? sql`union all select 0, c.* from ${newestMatches('notes', query, scope, bounds, notes)} c` : sql``}
      ) c
      group by workspace_id, ticket_id
    )
    select s.ticket_id from candidate join ticket_search s using (workspace_id, ticket_id), asked
    order by candidate.place desc,
      ${notes ? sql`${rank} + case when ${notes} then ts_rank(${WEIGHTS}::real[], s.notes, asked.query, 1) else 0 end` : rank} desc,
      s.created_at desc, s.ticket_id desc
    limit ${limit}`.execute(db);
  return rows.map((row) => row.ticket_id);
}
