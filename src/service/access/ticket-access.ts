import { sql } from 'kysely';

import type { Caller, ServiceDb } from '../handler.ts';
import { found, ServiceProblem } from '../problem.ts';
import {
  isNamedIn,
  isOfTeam,
  isReadableBy,
  isVisibleTo,
  readsNotes,
  takesPart,
  type Viewer,
  viewerOf,
} from './viewer.ts';

/** Who may do something to a ticket besides its team: nobody, its requester, its approvers, or all who take part in it. */
export type AllowedTo = 'team' | 'requester' | 'approver' | 'participant';

const ONLY: Record<AllowedTo, string> = {
  team: 'Only agents of this ticket’s queue and its assignee may do this.',
  requester: 'Only the requester of this ticket, its assignee and agents of its queue may do this.',
  approver: 'Only an approver of this ticket, its assignee and agents of its queue may do this.',
  participant: 'Only people who take part in this ticket and agents of its queue may do this.',
};

const ONLY_ITS_TICKET = 'An AI agent changes only the ticket that it works on.';

/**
 * Throws 404 unless the caller sees a ticket, and 403 unless the caller may write to it as said. The team is the agents
 * of the ticket's queue and its assignee, if that is an agent: those who read its internal notes. Keys and admins may
 * write to all tickets, agents of every queue to all but those of other teams. AI tools that do not read internal notes
 * may still write what their caller may. Whoever may write to a ticket sees it: an admin of no team is recorded.
 */
export async function requireAccess(
  db: ServiceDb,
  caller: Caller,
  ticket: { workspaceId: string; id: string },
  allowed: AllowedTo,
): Promise<void> {
  const { agent } = caller;
  if (agent && ticket.id !== agent.ticketId) throw new ServiceProblem('FORBIDDEN', ONLY_ITS_TICKET);
  const viewer = viewerOf(caller);
  if (viewer) await requireAllowed(db, viewer, ticket, allowed);
  await caller.noteOpened?.(db, [ticket.id]);
}

async function requireAllowed(
  db: ServiceDb,
  viewer: Viewer,
  ticket: { workspaceId: string; id: string },
  allowed: AllowedTo,
): Promise<void> {
  const isOfItsTeam = readsNotes({ ...viewer, reach: undefined }) ?? sql`false`;
  const { rows } = await sql<Record<AllowedTo, boolean>>`
    select ${isOfItsTeam} as team, ${takesPart(viewer.personId)} as participant,
      ${isNamedIn('ticket_approver', viewer.personId)} as approver,
      coalesce(t.requester_id = ${viewer.personId}, false) as requester
    from ticket t
    where t.workspace_id = ${ticket.workspaceId} and t.id = ${ticket.id} and ${isVisibleTo(viewer)}`.execute(
    db,
  );
  const access = found(rows[0]);
  if (!access.team && !access[allowed]) throw new ServiceProblem('FORBIDDEN', ONLY[allowed]);
}

/** Throws 404 unless the caller may read a message of these workspaces, and records it of an admin of no team. */
export async function requireReadable(db: ServiceDb, caller: Caller, messageId: string): Promise<void> {
  const viewer = viewerOf(caller);
  if (!viewer && !caller.noteOpened) return;
  const message = found(
    await db
      .selectFrom('ticket_message as m')
      .select('m.ticket_id')
      .where('m.workspace_id', 'in', caller.workspaceIds)
      .where('m.id', '=', messageId)
      .where(viewer ? isReadableBy(viewer) : sql<boolean>`true`)
      .executeTakeFirst(),
  );
  await caller.noteOpened?.(db, [message.ticket_id]);
}

/** Returns those of some tickets that a caller sees. */
export function visibleAmong(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<readonly string[]> {
  const viewer = viewerOf(caller);
  return visibleToAll(db, viewer ? [viewer] : [], workspaceIds, ids);
}

/** Returns those of some tickets that each of these viewers sees. */
export async function visibleToAll(
  db: ServiceDb,
  viewers: readonly Viewer[],
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<readonly string[]> {
  if (viewers.length === 0 || ids.length === 0) return ids;
  let rows = db
    .selectFrom('ticket as t')
    .select('t.id')
    .where('t.workspace_id', 'in', workspaceIds)
    .where('t.id', 'in', [...new Set(ids)]);
  for (const viewer of viewers) rows = rows.where(isVisibleTo(viewer));
  return (await rows.execute()).map(({ id }) => id);
}

/** Returns whether the caller may set everything on a new ticket of a queue: keys, admins, and agents of its team. */
export async function isOfQueue(db: ServiceDb, caller: Caller, queueId: string): Promise<boolean> {
  const viewer = viewerOf(caller);
  if (!viewer) return true;
  const { rows } = await sql`
    select from (select ${queueId}::text as queue_id) t where ${isOfTeam(viewer)}`.execute(db);
  return rows.length > 0;
}
