import { type RawBuilder, sql } from 'kysely';

import type { Caller } from '../handler.ts';
import { idsOf } from '../lists/filters.ts';

/**
 * The person whose view of tickets a read is limited to. A ticket that is not visible is treated like a missing one, in
 * every read and write; a caller without a viewer (a key, an admin, an agent of every queue) sees all tickets.
 */
export interface Viewer {
  personId: string;
  /** The queues of the person's team, whose tickets are visible with their internal notes. */
  queueIds: readonly string[];
  /** The workspace of a person who sees only tickets in which they take part; others see what is not private too. */
  onlyOwnIn: string | undefined;
  /** Whether internal notes are visible on tickets that are assigned to the person. */
  readsOwnNotes: boolean;
}

/** Returns the viewer of a signed-in person; undefined if the caller sees all tickets. */
export function viewerOf({ session, personId, workspaceId }: Caller): Viewer | undefined {
  if (!session || session.queueIds === null) return undefined;
  const isAgent = session.role === 'agent';
  return {
    personId: personId ?? '',
    queueIds: session.queueIds,
    onlyOwnIn: isAgent ? undefined : workspaceId,
    readsOwnNotes: isAgent,
  };
}

/** What a viewer lacks who reads no internal notes. */
export const NO_NOTES = { queueIds: [], readsOwnNotes: false };

/** Sees what is public, and no internal notes. */
export const NOBODY = viewerNamed('');

/** Returns the viewer whom a query names, with the queues of the person's team. */
export function viewerNamed(personId: string, queueIds: readonly string[] = []): Viewer {
  return { personId, queueIds, onlyOwnIn: undefined, readsOwnNotes: false };
}

/** Returns the viewers of a list or search, all of whom must see a ticket: the caller, and one whom the query names. */
export function viewersOf(
  caller: Caller,
  query: {
    visibleToUserId?: string | null | undefined;
    teamQueueIds?: string | null | undefined;
    onlyOwn?: boolean | null | undefined;
    workspaceId?: string | null | undefined;
  },
): Viewer[] {
  const own = viewerOf(caller);
  const { visibleToUserId: named } = query;
  if (!named || (own && named === caller.personId)) return own ? [own] : [];
  const other = {
    ...viewerNamed(named, idsOf(query.teamQueueIds)),
    ...(query.onlyOwn && { onlyOwnIn: query.workspaceId ?? caller.workspaceId }),
  };
  return own ? [own, other] : [other];
}

/**
 * Returns a condition that a person takes part in a ticket `t`. Other tables are read last, and by their key: scalar
 * subselects, because with `exists` the planner may scan these tables instead.
 */
export function takesPart(personId: string): RawBuilder<boolean> {
  return sql<boolean>`(${personId} in (t.requester_id, t.author_id, t.assignee_id)
    or ${isNamedIn('ticket_approver', personId)} or ${isNamedIn('ticket_follower', personId)})`;
}

/** Returns a condition that a table of a ticket's people names a person. */
export function isNamedIn(
  table: 'ticket_approver' | 'ticket_follower',
  personId: string,
): RawBuilder<boolean> {
  return sql<boolean>`coalesce((select true from ${sql.table(table)} x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.person_id = ${personId}), false)`;
}

/** The same as `takesPart`, for a person who takes part in few tickets: an index finds them from the person. */
function isOneOfTheirs(workspaceId: string, personId: string): RawBuilder<boolean> {
  const inTable = (table: string, ticket: string, person: string, rest = sql``) =>
    sql`select x.${sql.ref(ticket)} from ${sql.table(table)} x
      where x.workspace_id = ${workspaceId} and x.${sql.ref(person)} = ${personId} ${rest}`;
  return sql<boolean>`(t.workspace_id = ${workspaceId} and t.id in (
    ${inTable('ticket', 'id', 'requester_id')}
    union all ${inTable('ticket', 'id', 'author_id', sql`and x.author_id is distinct from x.requester_id`)}
    union all ${inTable('ticket', 'id', 'assignee_id')}
    union all ${inTable('ticket_approver', 'ticket_id', 'person_id')}
    union all ${inTable('ticket_follower', 'ticket_id', 'person_id')}))`;
}

/** Returns a condition that a ticket `t` is visible to a viewer. */
export function isVisibleTo(viewer: Viewer): RawBuilder<boolean> {
  if (viewer.onlyOwnIn !== undefined) return isOneOfTheirs(viewer.onlyOwnIn, viewer.personId);
  return sql<boolean>`(not t.private or ${isPrivatelyVisibleTo(viewer)})`;
}

/** Returns a condition that a private ticket `t` is visible to a viewer who sees the others anyway. */
export function isPrivatelyVisibleTo(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(${isOfTeam(viewer)} or ${takesPart(viewer.personId)})`;
}

/** Returns a condition that a viewer may read the internal notes on a ticket `t`; undefined if they may read none. */
export function readsNotes(viewer: Viewer): RawBuilder<boolean> | undefined {
  const { personId, queueIds, readsOwnNotes } = viewer;
  if (queueIds.length === 0 && !readsOwnNotes) return undefined;
  return readsOwnNotes
    ? sql<boolean>`(${isOfTeam(viewer)} or coalesce(t.assignee_id = ${personId}, false))`
    : isOfTeam(viewer);
}

/**
 * Returns a condition that a viewer may read the answers to private questions of a ticket `t`: the requester, who gave
 * them, and whoever reads its internal notes.
 */
export function readsPrivateAnswers(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`(${readsNotes(viewer) ?? sql`false`} or coalesce(t.requester_id = ${viewer.personId}, false))`;
}

function isOfTeam({ queueIds }: Viewer): RawBuilder<boolean> {
  return sql<boolean>`t.queue_id = any(${[...queueIds]}::text[])`;
}

/** Returns a condition that a viewer may read a message `m`. */
export function isReadableBy(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from ticket t
    where t.workspace_id = m.workspace_id and t.id = m.ticket_id and ${isVisibleTo(viewer)}
      and (not m.private or ${readsNotes(viewer) ?? sql`false`}))`;
}
