import type { Caller, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { addTicketEvent } from '../tickets/events.ts';
import { ticketKey, nextStamp, type StoredTicket } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';

/** Runs a change of a ticket's own files, with its event. */
export async function changeTicketFiles<Result>(
  tx: ServiceTx,
  { caller, now, outbox }: { caller: Caller; now: Date; outbox: Outbox },
  locked: StoredTicket,
  change: () => Promise<Result>,
): Promise<Result> {
  const key = ticketKey(locked);
  const before = await ticketDetail(tx, key, now);
  const changed = await change();
  const stamp = nextStamp(locked, now);
  await tx
    .updateTable('ticket')
    .set({ stamped_at: stamp, updated_at: stamp })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
  addTicketEvent(outbox, caller, key.workspaceId, before, await ticketDetail(tx, key, now));
  return changed;
}
