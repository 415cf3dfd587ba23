import type { ServiceTx } from '../handler.ts';
import { conflict } from '../problem.ts';
import { requireIds } from '../references.ts';
import type { StoredTicket } from './find.ts';
import { claimOf } from './records.ts';

/** Duration of a claim; an agent who is still replying renews it. */
const CLAIM_MS = 2 * 60 * 1000;

/**
 * Records for two minutes that a user is replying to the locked ticket, so that two do not; 409 while another user's
 * claim holds. It does not assign the ticket, is no change of it and has no event (docs/api.md, Tickets).
 */
export async function claimTicket(
  tx: ServiceTx,
  ticket: StoredTicket,
  personId: string,
  now: Date,
): Promise<void> {
  await requireIds(tx, 'person', ticket.workspace_id, [personId], 'userId');
  const held = claimOf(ticket, now);
  if (held !== null && held.userId !== personId)
    throw conflict(`Another user is replying to this ticket until ${held.until}.`);
  await tx
    .updateTable('ticket')
    .set({ claim_person_id: personId, claim_until: new Date(now.getTime() + CLAIM_MS) })
    .where('workspace_id', '=', ticket.workspace_id)
    .where('id', '=', ticket.id)
    .execute();
}
