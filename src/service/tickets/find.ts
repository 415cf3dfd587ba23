import { type Selectable, sql } from 'kysely';

import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { notFound } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';

export type StoredTicket = Selectable<Tables['ticket']>;
export interface TicketKey {
  workspaceId: string;
  id: string;
}

const REFERENCE = /^([A-Za-z][A-Za-z0-9]{0,9})-([1-9]\d{0,8})$/;

/**
 * The ticket of an id, or of a human reference (IT-42): also one from before it moved to another queue, or before
 * its queue was given another prefix. Where several of the key's workspaces have it, the home workspace's.
 */
export async function findTicket(
  db: ServiceDb,
  caller: Pick<Caller, 'workspaceId' | 'workspaceIds'>,
  idOrReference: string,
): Promise<TicketKey> {
  const key = await findIfThere(db, caller, idOrReference);
  if (!key) throw notFound();
  return key;
}

/** The same; undefined where there is none. */
export async function findIfThere(
  db: ServiceDb,
  caller: Pick<Caller, 'workspaceId' | 'workspaceIds'>,
  idOrReference: string,
): Promise<TicketKey | undefined> {
  const reference = REFERENCE.exec(idOrReference);
  const [, prefix = '', number = ''] = reference ?? [];
  const rows = reference
    ? db
        .selectFrom('queue_prefix as p')
        .innerJoin('ticket_reference as r', (join) =>
          join.onRef('r.workspace_id', '=', 'p.workspace_id').onRef('r.queue_id', '=', 'p.queue_id'),
        )
        .select(['r.workspace_id', 'r.ticket_id as id'])
        .where('p.workspace_id', 'in', caller.workspaceIds)
        .where('p.prefix', '=', prefix.toUpperCase())
        .where('r.number', '=', Number(number))
        .orderBy(sql`p.workspace_id = ${caller.workspaceId}`, 'desc')
    : db
        .selectFrom('ticket')
        .select(['workspace_id', 'id'])
        .where('workspace_id', 'in', caller.workspaceIds)
        .where('id', '=', idOrReference);
  const row = await rows.executeTakeFirst();
  return row && { workspaceId: row.workspace_id, id: row.id };
}

/**
 * Locks the ticket's row until the transaction ends: every write to a ticket or to one of its messages does this
 * first, and so they follow each other. Not the strongest lock, so that new rows may still refer to the ticket.
 */
export async function lockTicket(tx: ServiceTx, { workspaceId, id }: TicketKey): Promise<StoredTicket> {
  const row = await tx
    .selectFrom('ticket')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * The instant of a write to a locked ticket or its messages: now, but later than every one before it, even when the
 * clocks of two processes differ. Whoever takes it stores it in `stamped_at`.
 */
export function nextStamp(ticket: Pick<StoredTicket, 'stamped_at'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), ticket.stamped_at.getTime() + 1));
}
