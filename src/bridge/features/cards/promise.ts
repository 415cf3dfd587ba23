import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { firstReplyOf } from '../../tickets/ticket-facts.ts';
import { type BodyOf, type BridgeTx, CLASSES, type Done, type Work, workFor, workKind } from '../../work.ts';
import { redrawCards } from './redraw.ts';

/** The first reply that a ticket's card promises is late: nothing of the ticket changes then, but its card does. */
export const PROMISE = workKind('promise', CLASSES.reminder, z.object({ ticket: z.string() }));

/** Plans that a card says so when its promise has passed. */
export function planPromiseEnd(
  tx: BridgeTx,
  { clock }: Pick<Bridge, 'clock'>,
  ticketId: string,
  until: Date | undefined,
): void {
  if (until === undefined) return;
  const key = `promise:${ticketId}`;
  const delayMs = Math.max(0, until.getTime() - clock.now().getTime());
  tx.plan.add(workFor(PROMISE, key, { ticket: ticketId }, { mergeKey: key, delayMs }));
}

/** Draws a ticket's cards again, if its promise has passed; one that was moved meanwhile is waited for. */
export async function endPromise(bridge: Bridge, { body }: Work<BodyOf<typeof PROMISE>>): Promise<Done> {
  const ticket = await readTicket(bridge, body.ticket);
  const promise = ticket && (await firstReplyOf(bridge, ticket));
  if (!promise) return { outcome: 'nothing is promised' };
  if (!promise.isOver)
    return {
      outcome: 'the promise was moved',
      write: async (tx) => planPromiseEnd(tx, bridge, body.ticket, promise.at),
    };
  return { outcome: 'the promise has passed', write: (tx) => redrawCards(tx, bridge, body.ticket) };
}
