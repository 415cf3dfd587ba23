import { type RawBuilder, sql } from 'kysely';

import { inWorkspaces, isVisible, type Scope } from './scope.ts';

/** How much of the index one search may read, however many tickets there are. */
export interface Bounds {
  /** Matching tickets read of an index that knows no order; a word that has more is common. */
  matches: number;
  /** Newest tickets looked through for a common word. */
  newest: number;
  /** Candidates that each part of a ticket gives to the ranking, newest first. */
  candidates: number;
}

export const BOUNDS: Bounds = { matches: 5_000, newest: 2_500, candidates: 100 };

/** The part of a ticket that is searched: a column of the index. */
export type Part = 'title_words' | 'document' | 'notes';

/**
 * The newest tickets whose part matches a query, as a subselect of `workspace_id`, `ticket_id` and `created_at`.
 *
 * A word of half of all tickets would have its 50,000 rows read only to keep the newest hundred. So the index of words
 * is read up to a bound; where that is reached, the word is common, and the newest are found sooner by walking through
 * the newest tickets. Both together are bounded also for a word that was common once and is not any more. The query
 * comes from a subselect, not as a value, so that the planner does not take to reading the whole table instead.
 */
export function newestMatches(part: Part, query: string, scope: Scope, bounds: Bounds): RawBuilder<unknown> {
  const matching = (bounded: RawBuilder<unknown>) =>
    sql`${sql.ref(`s.${part}`)} @@ (select ${query}::tsquery) ${bounded}`;
  return sql`(
    with matching as materialized (
      select s.workspace_id, s.ticket_id, s.created_at from ticket_search s
      where ${matching(sql`and ${inWorkspaces(scope)} and ${isVisible(scope)}`)} limit ${bounds.matches}
    )
    (select * from matching order by created_at desc limit ${bounds.candidates})
    union
    (select s.workspace_id, s.ticket_id, s.created_at from (
        select s.* from ticket_search s where ${inWorkspaces(scope)} order by s.created_at desc limit ${bounds.newest}
      ) s
      where (select count(*) from matching) >= ${bounds.matches} and ${matching(sql`and ${isVisible(scope)}`)}
      order by s.created_at desc limit ${bounds.candidates})
    order by created_at desc limit ${bounds.candidates})`;
}

/** The newest tickets that are called just so, ignoring case. */
export function sameTitle(words: string, scope: Scope, bounds: Bounds): RawBuilder<unknown> {
  return sql`(
    select s.workspace_id, s.ticket_id, s.created_at from ticket_search s
    where lower(s.title) = lower(${words}) and ${inWorkspaces(scope)} and ${isVisible(scope)}
    order by s.created_at desc limit ${bounds.candidates})`;
}
