import { RetryLater } from '../../platform/engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type InboundLink, linkInbound, type OnLinked } from '../store/links.ts';
import type { BridgeTx, NewWork } from '../work.ts';

/** Rows that are recorded with the end of an event. */
export interface Added {
  /** A message that was added to its ticket. */
  link?: InboundLink | undefined;
  notice?: NewWork | undefined;
  mirror?: NewWork | undefined;
}

/** Records what an event adds. */
export async function recordAdded(
  tx: BridgeTx,
  bridge: OnLinked & { clock: Clock },
  { link, notice, mirror }: Added,
): Promise<void> {
  if (link) {
    await linkInbound(tx, bridge, link);
    await recordActivity(tx, link.conversation_id, bridge.clock.now());
  }
  for (const work of [notice, mirror]) if (work) tx.plan.add(work);
}

const ACTIVE_AGAIN_MS = 60_000;

/** An active thread is reconciled sooner (B50). */
async function recordActivity(tx: BridgeTx, conversation: string, now: Date): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ active_at: now })
    .where('id', '=', conversation)
    .where('active_at', '<', new Date(now.getTime() - ACTIVE_AGAIN_MS))
    .execute();
}

/**
 * Locks a conversation that had no ticket.
 * @throws RetryLater if it has one now: a copy of a card was recorded (B26), which has only finished events handled
 *   again.
 */
export async function checkUntitled(tx: BridgeTx, id: string): Promise<void> {
  const conversation = await tx
    .selectFrom('conversation')
    .select('ticket_id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (conversation?.ticket_id !== null)
    throw new RetryLater('its thread was given a ticket just now', { afterMs: 0, countsAttempt: false });
}
