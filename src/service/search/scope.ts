import { sql } from 'kysely';

import { isOneOf } from '../lists/filters.ts';

/** What may be found: tickets of these workspaces that lists show, without one, and only what a person may see. */
export interface Scope {
  workspaceIds: readonly string[];
  exclude: string | undefined;
  visibleTo: string | undefined;
}

/** That a row `s` of the index is listed in one of the workspaces; an index holds both in the order of time. */
export function inWorkspaces({ workspaceIds }: Scope) {
  return sql`${isOneOf('s.workspace_id', workspaceIds)} and s.listed`;
}

/**
 * That a row `s` is none that is left out, and one that the person may see; other tables are read for private ones only,
 * each by its key. Scalar subselects, for `exists` lets the planner read these tables from end to end instead.
 */
export function isVisible({ exclude, visibleTo }: Scope) {
  const others = exclude === undefined ? sql`true` : sql`s.ticket_id <> ${exclude}`;
  if (visibleTo === undefined) return others;
  const named = (table: string) =>
    sql`(select true from ${sql.table(table)} x where x.workspace_id = s.workspace_id
      and x.ticket_id = s.ticket_id and x.person_id = ${visibleTo})`;
  return sql`${others} and (not s.private or coalesce(
    (select ${visibleTo} in (t.requester_id, t.author_id, t.assignee_id) or null from ticket t
      where t.workspace_id = s.workspace_id and t.id = s.ticket_id),
    ${named('ticket_approver')}, ${named('ticket_follower')}, false))`;
}
