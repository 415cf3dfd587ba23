import { type RawBuilder, sql } from 'kysely';

import { inWorkspaces, isVisible, type Scope } from './scope.ts';

/** Limits of how much of the index one search may read, however many tickets there are. */
export interface Bounds {
  /** Newest tickets searched first: common words are found in them. */
  newest: number;
  /** Matching tickets read from the unordered index, for rare words. */
  matches: number;
  /** Candidates per part of a ticket for the ranking, newest first. */
  candidates: number;
}

export const BOUNDS: Bounds = { newest: 2_500, matches: 5_000, candidates: 100 };

/** A searched part of a ticket: a column of the index. */
export type Part = 'title_words' | 'document' | 'notes';

/**
 * The newest tickets whose part matches a query, as a subselect of `workspace_id`, `ticket_id` and `created_at`.
 *
 * The index of words knows no order: a word of half of all tickets would have its 50,000 rows read only to keep the
 * newest hundred. So the newest tickets are looked through first. Where they do not give enough, the word is rare, and
 * the index is read, up to a bound; that bound also holds for a word that used to be common. The
 * query comes from a subselect, not as a value, so that the planner does not take to reading the whole table instead.
 * @param isReadable of a row: whether the part may be looked into.
 */
export function newestMatches(
  part: Part,
  query: string,
  scope: Scope,
  bounds: Bounds,
  isReadable: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const matches = sql`${sql.ref(`s.${part}`)} @@ (select ${query}::tsquery) and ${isReadable} and ${isVisible(scope)}`;
  return sql`(
    with newest as materialized (
      select s.workspace_id, s.ticket_id, s.created_at from (
        select s.* from ticket_search s where ${inWorkspaces(scope)} order by s.created_at desc limit ${bounds.newest}
      ) s
      where ${matches} order by s.created_at desc limit ${bounds.candidates}
    ), others as materialized (
      select s.workspace_id, s.ticket_id, s.created_at from ticket_search s
      where (select count(*) from newest) < ${bounds.candidates} and ${inWorkspaces(scope)} and ${matches}
      limit ${bounds.matches}
    )
    select * from newest
    union (select * from others order by created_at desc limit ${bounds.candidates})
    order by created_at desc limit ${bounds.candidates})`;
}

/** Returns the newest tickets with exactly this title, ignoring case. */
export function sameTitle(words: string, scope: Scope, bounds: Bounds): RawBuilder<unknown> {
  return sql`(
    select s.workspace_id, s.ticket_id, s.created_at from ticket_search s
    where lower(s.title) = lower(${words}) and ${inWorkspaces(scope)} and ${isVisible(scope)}
    order by s.created_at desc limit ${bounds.candidates})`;
}
