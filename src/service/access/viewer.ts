import { type RawBuilder, sql } from 'kysely';

import type { Caller, Reach } from '../handler.ts';
import { idsInSet } from '../lists/filters.ts';
import { isBridge } from './identity.ts';
import { isMember } from './team.ts';

/**
 * Whose view of tickets a read is limited to. A ticket that is not visible is treated like a missing one, in every read
 * and write; a caller without a viewer (an admin, a key of all queues) sees all tickets.
 */
export interface Viewer {
  /** The person, or a column with the person where a statement looks at several; empty: nobody. */
  personId: string | RawBuilder<string>;
  /**
   * The queues whose private tickets are visible too, with their internal notes: those of the person's team; null: every
   * queue that is not another team's.
   */
  queueIds: readonly string[] | null | RawBuilder<string[] | null>;
  /** The workspace of a person who sees only tickets in which they take part; others see what is not private too. */
  onlyOwnIn: string | undefined;
  /** The internal notes that are visible. */
  notes: 'none' | 'of the team' | 'of the team and on own tickets';
  /** The queues of whose team the person is in chat, where the bridge says so. */
  teamInChat: readonly string[];
  /** An API key with queues: it sees all tickets of `queueIds` and no others, whoever takes part in them. */
  isKey: boolean;
  /** Narrows all of this. */
  reach?: Reach | undefined;
}

const OF_PERSON = { onlyOwnIn: undefined, teamInChat: [], isKey: false } as const;

/** Sees all tickets; for what a reach narrows. */
const EVERYTHING: Viewer = {
  ...OF_PERSON,
  personId: '',
  queueIds: null,
  notes: 'of the team',
  isKey: true,
};

/**
 * Returns the viewer of a signed-in person, an API key with queues, or a caller with a reach; undefined if the caller
 * sees all tickets.
 */
export function viewerOf(caller: Caller): Viewer | undefined {
  const { reach } = caller;
  const viewer = ownViewerOf(caller);
  return reach ? { ...(viewer ?? EVERYTHING), reach } : viewer;
}

function ownViewerOf({ session, personId, workspaceId, queueIds }: Caller): Viewer | undefined {
  if (!session)
    return queueIds ? { ...OF_PERSON, personId: '', queueIds, notes: 'of the team', isKey: true } : undefined;
  if (session.role === 'admin') return undefined;
  const isAgent = session.role === 'agent';
  return {
    ...OF_PERSON,
    personId: personId ?? '',
    queueIds: session.queueIds,
    onlyOwnIn: isAgent ? undefined : workspaceId,
    notes: isAgent ? 'of the team and on own tickets' : 'none',
  };
}

/** Sees what everyone in the workspace may see, and no internal notes. */
export const NOBODY: Viewer = { ...OF_PERSON, personId: '', queueIds: [], notes: 'none' };

/** Returns the viewer of a row of `person`, as if the person were signed in; a requester sees what is not private too. */
export function viewerOfRow(row: string): Viewer {
  const of = (column: string) => sql.ref(`${row}.${column}`);
  return {
    ...OF_PERSON,
    personId: sql<string>`${of('id')}`,
    queueIds: sql<
      string[] | null
    >`(case when ${of('role')} = 'requester' or ${of('deactivated_at')} is not null then '{}'
      when ${of('role')} = 'agent' then ${of('queue_ids')} end)`,
    notes: 'of the team and on own tickets',
  };
}

/**
 * Returns the viewers of a list or search, all of whom must see a ticket: the caller, and one whom the query names. The
 * first is the one who reads what is found.
 */
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
  const queueIds = idsInSet(query.teamQueueIds) ?? [];
  const other: Viewer = {
    ...OF_PERSON,
    personId: named,
    queueIds,
    onlyOwnIn: query.onlyOwn ? (query.workspaceId ?? caller.workspaceId) : undefined,
    notes: 'of the team',
    teamInChat: isBridge(caller) ? queueIds : [],
  };
  if (!own) return [other];
  return own.isKey ? [other, own] : [own, other];
}

/**
 * Returns the queues whose visibility keeps a viewer from their tickets, also from those that are not private, unless the
 * viewer takes part in them: the one place that says who reads a queue (docs/rules.md). Few queues are not for everyone,
 * so reading them costs next to nothing.
 */
function closedQueues({ personId, teamInChat }: Viewer): RawBuilder<unknown> {
  // No parameter without them: a statement that is compiled once has a fixed number.
  const inChat = teamInChat.length > 0 && sql`q.id = any(${[...teamInChat]}::text[])`;
  return sql`select q.id from queue q
    left join person member on member.workspace_id = q.workspace_id and member.id = ${personId}
      and member.deactivated_at is null and member.erased_at is null
    where q.visibility <> 'workspace'
      and (member.role = 'admin' or ${isMember} or ${inChat || sql`false`}
        or (q.visibility = 'agents' and member.role = 'agent')) is not true`;
}

/**
 * Returns a condition that the queue of a ticket `t` is open to a viewer. It is read once per statement. Within
 * `coalesce`, because what is compared with an array that it does not know yet the planner takes for very rare.
 */
export function isOpenTo(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`coalesce(t.queue_id <> all(array(${closedQueues(viewer)})), true)`;
}

/** Returns a condition that no queue at all is closed to a viewer: then a ticket need not be read to know it of its own. */
export function hasNoClosedQueue(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`not exists (${closedQueues(viewer)})`;
}

/**
 * Returns a condition that a person takes part in a ticket `t`. Other tables are read last, and by their key: scalar
 * subselects, because with `exists` the planner may scan these tables instead.
 */
export function takesPart(personId: Viewer['personId']): RawBuilder<boolean> {
  return sql<boolean>`(${personId} in (t.requester_id, t.author_id, t.assignee_id)
    or ${isNamedIn('ticket_approver', personId)} or ${isNamedIn('ticket_follower', personId)})`;
}

/** Returns a condition that a table of a ticket's people names a person. */
export function isNamedIn(
  table: 'ticket_approver' | 'ticket_follower',
  personId: Viewer['personId'],
): RawBuilder<boolean> {
  return sql<boolean>`coalesce((select true from ${sql.table(table)} x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.person_id = ${personId}), false)`;
}

/** The same as `takesPart`, for a person who takes part in few tickets: an index finds them from the person. */
function isOneOfTheirs(workspaceId: string, personId: Viewer['personId']): RawBuilder<boolean> {
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
  const { reach } = viewer;
  const visible = isVisibleWithoutReach(viewer);
  return reach
    ? sql<boolean>`(${isIn(reach.queueIds)} and (not t.private or ${isIn(reach.privateQueueIds)}) and ${visible})`
    : visible;
}

function isVisibleWithoutReach(viewer: Viewer): RawBuilder<boolean> {
  const { personId, onlyOwnIn, isKey } = viewer;
  if (isKey) return isOfQueues(viewer);
  if (onlyOwnIn !== undefined) return isOneOfTheirs(onlyOwnIn, personId);
  return sql<boolean>`(((not t.private or ${isOfQueues(viewer)}) and ${isOpenTo(viewer)}) or ${takesPart(personId)})`;
}

/**
 * Returns a condition on the queue alone that a viewer is of the team of a ticket `t`, which may change it and reads its
 * internal notes.
 */
export function isOfTeam(viewer: Viewer): RawBuilder<boolean> {
  const { isKey, reach } = viewer;
  const within = reach ? isIn(reach.queueIds) : sql<boolean>`true`;
  return isKey
    ? sql<boolean>`(${isOfQueues(viewer)} and ${within})`
    : sql<boolean>`(${isOfQueues(viewer)} and ${isOpenTo(viewer)} and ${within})`;
}

/** Returns a condition that a viewer may read the internal notes on a ticket `t`; undefined if they may read none. */
export function readsNotes(viewer: Viewer): RawBuilder<boolean> | undefined {
  const { reach } = viewer;
  const reads = readsNotesWithoutReach(viewer);
  return reach && reads ? sql<boolean>`(${reads} and ${isIn(reach.privateQueueIds)})` : reads;
}

function readsNotesWithoutReach(viewer: Viewer): RawBuilder<boolean> | undefined {
  const { personId, queueIds, notes } = viewer;
  if (notes === 'none') return undefined;
  if (notes === 'of the team')
    return Array.isArray(queueIds) && queueIds.length === 0 ? undefined : isOfTeam(viewer);
  return sql<boolean>`(${isOfTeam(viewer)} or coalesce(t.assignee_id = ${personId}, false))`;
}

/**
 * Returns a condition that a viewer may read the answers to private questions of a ticket `t`: the requester, who gave
 * them, and whoever reads its internal notes.
 */
export function readsPrivateAnswers(viewer: Viewer): RawBuilder<boolean> {
  const { personId, reach } = viewer;
  const within = reach ? isIn(reach.privateQueueIds) : sql<boolean>`true`;
  return sql<boolean>`((${readsNotes(viewer) ?? sql`false`} or coalesce(t.requester_id = ${personId}, false))
    and ${within})`;
}

function isIn(queueIds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`t.queue_id = any(${[...queueIds]}::text[])`;
}

function isOfQueues({ queueIds }: Viewer): RawBuilder<boolean> {
  if (queueIds === null) return sql<boolean>`true`;
  if (isColumn(queueIds)) return sql<boolean>`(${queueIds} is null or t.queue_id = any(${queueIds}))`;
  return isIn(queueIds);
}

function isColumn(
  queueIds: readonly string[] | RawBuilder<string[] | null>,
): queueIds is RawBuilder<string[] | null> {
  return 'isRawBuilder' in queueIds;
}

/** Returns a condition that a viewer may read a message `m`. */
export function isReadableBy(viewer: Viewer): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from ticket t
    where t.workspace_id = m.workspace_id and t.id = m.ticket_id and ${isVisibleTo(viewer)}
      and (not m.private or ${readsNotes(viewer) ?? sql`false`}))`;
}
