import { type RawBuilder, sql } from 'kysely';

import { hasNoClosedQueue, isVisibleTo, readsNotes, type Viewer } from '../access/viewer.ts';
import { isOneOf } from '../lists/filters.ts';

/** Limits a search to tickets of these workspaces that lists show, without one, and only those a viewer may see. */
export interface Scope {
  workspaceIds: readonly string[];
  exclude: string | undefined;
  viewer: Viewer | undefined;
  /** Additional condition for a ticket `t` with an index row `s`. */
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
 * Returns a condition that a row `s` is not excluded and visible to the viewer; where every queue is for everyone, most
 * are without reading the ticket.
 */
export function isVisible({ exclude, viewer, filter }: Scope) {
  const others = exclude === undefined ? sql`true` : sql`s.ticket_id <> ${exclude}`;
  const within = filter === undefined ? sql`true` : ofTicket(filter);
  if (!viewer) return sql`${others} and ${within}`;
  const read = ofTicket(isVisibleTo(viewer));
  const isLimited = viewer.isKey || viewer.onlyOwnIn !== undefined || viewer.reach !== undefined;
  const seen = isLimited ? read : sql`((not s.private and ${hasNoClosedQueue(viewer)}) or ${read})`;
  return sql`${others} and ${within} and ${seen}`;
}

/** Returns a condition that the viewer may read a row `w` of the words: internal notes are not for everyone. */
export function isReadable({ viewer }: Pick<Scope, 'viewer'>): RawBuilder<unknown> {
  if (!viewer) return sql`true`;
  const notes = readsNotes(viewer);
  if (!notes) return sql`w.field <> 'note'`;
  return sql`(w.field <> 'note' or ${ofTicket(notes, 'w')})`;
}

/** Returns whether the ticket of a row is such a one: a scalar subselect, which reads it by its key. */
function ofTicket(condition: RawBuilder<unknown>, row: 's' | 'w' = 's') {
  return sql`coalesce((select true from ticket t
    where t.workspace_id = ${sql.ref(`${row}.workspace_id`)} and t.id = ${sql.ref(`${row}.ticket_id`)}
      and ${condition}), false)`;
}
