import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import type { TicketDetail } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { type Acting, type Change, recordActivity } from './activity.ts';
import { changesBetween, addTicketEvent } from './events.ts';
import type { StoredTicket } from './find.ts';
import { ticketDetail } from './records.ts';

/** The call that changes several tickets. */
export interface ChangingTogether extends Acting {
  tools: Tools;
  now: Date;
  outbox: Outbox;
}

/** Locks tickets of a workspace until the transaction ends, in the order of their ids, like every write to several. */
export function lockTickets(
  tx: ServiceTx,
  workspaceId: string,
  ids: readonly string[],
): Promise<StoredTicket[]> {
  return tx
    .selectFrom('ticket')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Gives locked tickets their next instant. */
export async function stampTickets(
  tx: ServiceTx,
  workspaceId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  const next = sql<Date>`greatest(${now}::timestamptz, stamped_at + interval '1 millisecond')`;
  await tx
    .updateTable('ticket')
    .set({ updated_at: next, stamped_at: next })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute();
}

/** Returns tickets before a write to them, for `announce`. */
export async function detailsOf(
  tx: ServiceTx,
  workspaceId: string,
  ids: readonly string[],
  now: Date,
): Promise<TicketDetail[]> {
  const details = [];
  for (const id of ids) details.push(await ticketDetail(tx, { workspaceId, id }, now));
  return details;
}

/**
 * Adds the events and the activity of tickets that a write changed; `more` are changes that the records do not show.
 */
export async function announce(
  tx: ServiceTx,
  { tools, caller, actorId, now, outbox }: ChangingTogether,
  workspaceId: string,
  before: readonly TicketDetail[],
  more: (id: string) => Change[] = () => [],
): Promise<void> {
  for (const old of before) {
    const after = await ticketDetail(tx, { workspaceId, id: old.id }, now);
    if (!isDeepStrictEqual(changesBetween(old, after), {}))
      addTicketEvent(outbox, caller, workspaceId, old, after);
    await recordActivity(tx, { tools, caller, actorId }, workspaceId, [old, after], more(old.id));
  }
}
