import { sql } from 'kysely';

import type { ServiceDb } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';

/** Of the tickets that match, the newest so many are ranked: with all of 100,000 a search for a common word took 232 ms, so 5. */
const RANKED = 2_000;
/** Places of each ranking that take part in the common one. */
const PLACES = 60;
/** Softens the difference between first places when rankings are merged; 60 is the usual value (Cormack and others, 2009). */
const RRF_K = 60;
/** A word that stands in the text as it was asked for says more than one that only looks like a word of the title. */
const TITLE_WEIGHT = 0.5;
/** What a hit in a note, a message, the description and the title weighs (D, C, B, A). */
const WEIGHTS = '{0.1, 0.2, 0.4, 1.0}';
/** Words of a search that are compared with titles; shorter ones look like everything. */
const COMPARED_WORDS = 8;
const SHORTEST_COMPARED = 3;

/** What may be found: tickets of these workspaces that lists show, without one, and only what a person may see. */
export interface Scope {
  workspaceIds: readonly string[];
  exclude: string | undefined;
  visibleTo: string | undefined;
}

/** That a row `s` names a ticket within the scope; its workspace is compared elsewhere. */
export function inScope({ exclude, visibleTo }: Scope) {
  const others = exclude === undefined ? sql`true` : sql`s.ticket_id <> ${exclude}`;
  if (visibleTo === undefined) return others;
  const named = (table: string) =>
    sql`exists (select 1 from ${sql.table(table)} x where x.workspace_id = t.workspace_id and x.ticket_id = t.id
      and x.person_id = ${visibleTo})`;
  return sql`${others} and exists (select 1 from ticket t where t.workspace_id = s.workspace_id and t.id = s.ticket_id
    and (not t.private or ${visibleTo} in (t.requester_id, t.author_id, t.assignee_id)
      or ${named('ticket_approver')} or ${named('ticket_follower')}))`;
}

/**
 * The built-in search: one statement that ranks the tickets with all of the words, those with any of them, and, where
 * that makes fewer than are wanted, those whose titles look like the words (so a typo finds what it meant), and merges
 * the rankings by reciprocal rank. Ids, best first.
 */
export async function findByWords(
  db: ServiceDb,
  words: string,
  scope: Scope,
  limit: number,
): Promise<string[]> {
  if (scope.workspaceIds.length === 0) return [];
  const compared = comparedWords(words);
  // Whose search it is decides whether private notes are looked into.
  const notes = scope.visibleTo === undefined;
  const matches = (query: string) =>
    notes
      ? sql`(s.document @@ ${sql.ref(query)} or s.notes @@ ${sql.ref(query)})`
      : sql`s.document @@ ${sql.ref(query)}`;
  const rank = (query: string) => {
    const said = sql`ts_rank(${WEIGHTS}::real[], document, ${sql.ref(query)}, 1)`;
    return notes ? sql`(${said} + ts_rank(${WEIGHTS}::real[], notes, ${sql.ref(query)}, 1))` : said;
  };
  const ranking = (query: string) => sql`
    select ticket_id, row_number() over (order by ${rank(query)} desc, created_at desc, ticket_id desc) as place
    from (
      select s.ticket_id, s.created_at, s.document, s.notes, asked.* from asked, ticket_search s
      where ${isOneOf('s.workspace_id', scope.workspaceIds)} and s.listed and ${matches(query)} and ${inScope(scope)}
      order by s.created_at desc limit ${RANKED}
    ) newest
    order by place limit ${PLACES}`;
  const { rows } = await sql<{ ticket_id: string }>`
    with parsed as materialized (
      select plainto_tsquery(language::regconfig, ${words}) as all_words from search_setting
    ), asked as materialized (
      select all_words, replace(all_words::text, ' & ', ' | ')::tsquery as any_word from parsed
    ), full_match as materialized (${ranking('all_words')}), part_match as materialized (${ranking('any_word')}),
    alike as (
      select s.ticket_id, row_number() over (order by s.likeness desc, s.ticket_id desc) as place
      from titles_like(${[...scope.workspaceIds]}::text[], ${compared}::text[], ${PLACES}) s
      where (select count(*) from part_match) < ${limit} and ${inScope(scope)}
    )
    select ticket_id from (
      select ticket_id, place, 1.0 as weight from full_match
      union all select ticket_id, place, 1.0 from part_match
      union all select ticket_id, place, ${TITLE_WEIGHT}::numeric from alike
    ) places
    group by ticket_id
    order by sum(weight / (${RRF_K} + place)) desc, ticket_id desc
    limit ${limit}`.execute(db);
  return rows.map((row) => row.ticket_id);
}

function comparedWords(words: string): string[] {
  const long = words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_COMPARED);
  return [...new Set(long)].slice(0, COMPARED_WORDS);
}
