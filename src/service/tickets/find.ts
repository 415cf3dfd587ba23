import type { Selectable } from 'kysely';

import { type AllowedTo, requireAccess } from '../access/ticket-access.ts';
import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { accessibleWorkspaces, listedWorkspaces } from '../lists/filters.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';

export type StoredTicket = Selectable<Tables['ticket']>;
export interface TicketKey {
  workspaceId: string;
  id: string;
}

const REFERENCE = /^([A-Za-z][A-Za-z0-9]{0,9})-([1-9]\d{0,8})$/;

export const ticketKey = ({ workspace_id, id }: StoredTicket): TicketKey => ({
  workspaceId: workspace_id,
  id,
});

/** A ticket of an id, and its workspace among these. */
interface Named {
  workspaceIds: readonly string[];
  id: string;
}

/**
 * Returns the ticket that an id or a human reference (IT-42) names; undefined if the reference never existed. Only a
 * reference is looked up, including one from before the ticket moved to another queue or its queue changed its prefix.
 * A reference belongs to the home workspace unless another one is named.
 * @param inWorkspace the only workspace to search; one that the key cannot access has no tickets.
 */
export async function ticketNamed(
  db: ServiceDb,
  caller: Caller,
  idOrReference: string,
  inWorkspace?: string | null,
): Promise<Named | undefined> {
  const reference = REFERENCE.exec(idOrReference);
  const workspaceIds = (reference ? listedWorkspaces : accessibleWorkspaces)(caller, inWorkspace);
  if (workspaceIds.length === 0) return undefined;
  if (!reference) return { workspaceIds, id: idOrReference };
  const [, prefix = '', number = ''] = reference;
  const row = await db
    .selectFrom('queue_prefix as p')
    .innerJoin('ticket_reference as r', (join) =>
      join.onRef('r.workspace_id', '=', 'p.workspace_id').onRef('r.queue_id', '=', 'p.queue_id'),
    )
    .select(['r.workspace_id', 'r.ticket_id'])
    .where('p.workspace_id', 'in', workspaceIds)
    .where('p.prefix', '=', prefix.toUpperCase())
    .where('r.number', '=', Number(number))
    .executeTakeFirst();
  return row && { workspaceIds: [row.workspace_id], id: row.ticket_id };
}

/**
 * Locks the ticket's row until the transaction ends. Every write to a ticket or one of its messages does this first, so
 * they are serialized. Not the strongest lock, so that new rows may still reference the ticket.
 */
export function lockTicket(tx: ServiceTx, { workspaceId, id }: TicketKey): Promise<StoredTicket> {
  return lock(tx, { workspaceIds: [workspaceId], id });
}

/**
 * The same for the ticket that a caller names by its id or a reference; 404 if the caller sees no such ticket, 403 for
 * a signed-in person who may not write to it.
 * @param allowed the people who may do so besides the ticket's team.
 */
export async function lockTicketNamed(
  tx: ServiceTx,
  caller: Caller,
  idOrReference: string,
  inWorkspace: string | null | undefined,
  allowed: AllowedTo,
): Promise<StoredTicket> {
  const ticket = await lock(tx, found(await ticketNamed(tx, caller, idOrReference, inWorkspace)));
  await requireAccess(tx, caller, ticketKey(ticket), allowed);
  return ticket;
}

async function lock(tx: ServiceTx, { workspaceIds, id }: Named): Promise<StoredTicket> {
  const row = await tx
    .selectFrom('ticket')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', id)
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found(row);
}

/** The ticket, and those that were merged into it: who asked for one of them asked for this one too. */
export function withMerged(tx: ServiceTx, { workspace_id, id }: StoredTicket) {
  return tx
    .selectFrom('ticket as t')
    .where('t.workspace_id', '=', workspace_id)
    .where((is) => is.or([is('t.id', '=', id), is('t.merged_into_id', '=', id)]));
}

/**
 * Returns the instant of a write to a locked ticket or its messages: now, but later than every previous one, even if
 * the clocks of two processes differ. The caller stores it in `stamped_at`.
 */
export function nextStamp(ticket: Pick<StoredTicket, 'stamped_at'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), ticket.stamped_at.getTime() + 1));
}
