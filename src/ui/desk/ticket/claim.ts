import { call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { ticketsChanged } from '../api/tickets.ts';

/** A claim holds for two minutes; typing renews it in time. */
const AGAIN_MS = 60_000;

/** When each ticket was claimed last; Infinity where the service knows no claims. */
const claimed = new Map<string, number>();

/** Says that the signed-in person replies to the ticket. If another one does, the ticket says so. */
export async function claim(ticketId: string, me: string): Promise<void> {
  const now = Date.now();
  if (now - (claimed.get(ticketId) ?? 0) < AGAIN_MS) return;
  claimed.set(ticketId, now);
  try {
    await call('claimTicket', { params: { id: ticketId }, body: { userId: me } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isLacking(error, ticketId)) claimed.set(ticketId, Infinity);
    if (error.status === 409) ticketsChanged([ticketId]);
  }
}
