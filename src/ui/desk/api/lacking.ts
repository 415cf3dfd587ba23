import { call, Refusal } from './call.ts';
import { ticketsChanged } from './tickets.ts';

/**
 * Whether something of a ticket was refused because the service lacks it, or has it not for this person: then it is
 * asked for no more. If not, the ticket itself is no longer there for them, and what shows it is read again.
 */
export async function isLacking(error: Refusal, ticketId: string): Promise<boolean> {
  if (!error.isAbsent) return false;
  if (error.status !== 404) return true;
  try {
    await call('readTicket', { params: { id: ticketId } });
    return true;
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure;
    if (failure.isAbsent) ticketsChanged([ticketId]);
    return false;
  }
}
