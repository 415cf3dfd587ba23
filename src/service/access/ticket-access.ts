import { sql } from 'kysely';

import type { Caller, ServiceDb } from '../handler.ts';
import { found, ServiceProblem } from '../problem.ts';
import { isNamedIn, isReadableBy, isVisibleTo, readsNotes, takesPart, viewerOf } from './viewer.ts';

/** Who may do something to a ticket besides its team: nobody, its approvers, or all people who take part in it. */
export type AllowedTo = 'team' | 'approver' | 'participant';

const ONLY: Record<AllowedTo, string> = {
  team: 'Only agents of this ticket’s queue and its assignee may do this.',
  approver: 'Only an approver of this ticket, its assignee and agents of its queue may do this.',
  participant: 'Only people who take part in this ticket and agents of its queue may do this.',
};

/**
 * Throws 404 unless the caller sees a ticket, and 403 unless the caller may write to it as said. The team is the agents
 * of the ticket's queue and its assignee, if that is an agent: those who read its internal notes. Keys, admins and
 * agents of every queue may write to all tickets.
 */
export async function requireAccess(
  db: ServiceDb,
  caller: Caller,
  ticket: { workspaceId: string; id: string },
  allowed: AllowedTo,
): Promise<void> {
  const viewer = viewerOf(caller);
  if (!viewer) return;
  const { rows } = await sql<Record<AllowedTo, boolean>>`
    select ${readsNotes(viewer) ?? sql`false`} as team, ${takesPart(viewer.personId)} as participant,
      ${isNamedIn('ticket_approver', viewer.personId)} as approver
    from ticket t
    where t.workspace_id = ${ticket.workspaceId} and t.id = ${ticket.id} and ${isVisibleTo(viewer)}`.execute(
    db,
  );
  const access = found(rows[0]);
  if (!access.team && !access[allowed]) throw new ServiceProblem('FORBIDDEN', ONLY[allowed]);
}

/** Throws 404 unless the caller may read a message of these workspaces. */
export async function requireReadable(db: ServiceDb, caller: Caller, messageId: string): Promise<void> {
  const viewer = viewerOf(caller);
  if (!viewer) return;
  found(
    await db
      .selectFrom('ticket_message as m')
      .select('m.id')
      .where('m.workspace_id', 'in', caller.workspaceIds)
      .where('m.id', '=', messageId)
      .where(isReadableBy(viewer))
      .executeTakeFirst(),
  );
}

/** Returns those of some tickets that a caller sees. */
export async function visibleAmong(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<readonly string[]> {
  const viewer = viewerOf(caller);
  if (!viewer || ids.length === 0) return ids;
  const rows = await db
    .selectFrom('ticket as t')
    .select('t.id')
    .where('t.workspace_id', 'in', workspaceIds)
    .where('t.id', 'in', [...new Set(ids)])
    .where(isVisibleTo(viewer))
    .execute();
  return rows.map(({ id }) => id);
}
