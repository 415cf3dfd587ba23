import { type RawBuilder, sql } from 'kysely';

import { isOneOf } from '../lists/filters.ts';

/** Limits a search to tickets of these workspaces that lists show, without one, and only those a user may see. */
export interface Scope {
  workspaceIds: readonly string[];
  exclude: string | undefined;
  visibleTo: string | undefined;
  /** Queues whose team the person is of: they see all of their tickets, and the private notes on them. */
  team?: readonly string[] | undefined;
  /** Of a ticket `t` that is a row `s` of the index: what else it has to be. */
  filter?: RawBuilder<unknown> | undefined;
}

/**
 * Returns a condition that a row `s` of the index is listed in one of the workspaces; an index covers both in order of
 * time.
 */
export function inWorkspaces({ workspaceIds }: Scope) {
  return sql`${isOneOf('s.workspace_id', workspaceIds)} and s.listed`;
}

/**
 * Returns a condition that a row `s` is not excluded and visible to the user; other tables are read only for private
 * ones, by their key. Scalar subselects, because with `exists` the planner may scan these tables instead.
 */
export function isVisible({ exclude, visibleTo, team = [], filter }: Scope) {
  const others = exclude === undefined ? sql`true` : sql`s.ticket_id <> ${exclude}`;
  const within = filter === undefined ? sql`true` : sql`coalesce(${ofTicket(filter)}, false)`;
  if (visibleTo === undefined) return sql`${others} and ${within}`;
  const named = (table: string) =>
    sql`(select true from ${sql.table(table)} x where x.workspace_id = s.workspace_id
      and x.ticket_id = s.ticket_id and x.person_id = ${visibleTo})`;
  return sql`${others} and ${within} and (not s.private or coalesce(
    ${ofTicket(sql`(${visibleTo} in (t.requester_id, t.author_id, t.assignee_id) or t.queue_id = any(${[...team]}::text[]))`)},
    ${named('ticket_approver')}, ${named('ticket_follower')}, false))`;
}

/** Returns a condition that the user may read the private notes on a row `s`; undefined if they may read none. */
export function readsNotes({ visibleTo, team = [] }: Pick<Scope, 'visibleTo' | 'team'>) {
  if (visibleTo === undefined) return sql`true`;
  if (team.length === 0) return undefined;
  return sql`coalesce(${ofTicket(sql`t.queue_id = any(${[...team]}::text[])`)}, false)`;
}

/** True where the ticket of a row `s` is such a one, else null. */
function ofTicket(condition: RawBuilder<unknown>) {
  return sql`(select true from ticket t where t.workspace_id = s.workspace_id and t.id = s.ticket_id and ${condition})`;
}
