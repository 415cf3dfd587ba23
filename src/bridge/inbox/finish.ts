import { RetryLater } from '../../platform/engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type InboundLink, linkInbound, type OnLinked } from '../store/links.ts';
import type { BridgeTx, NewWork } from '../work.ts';

/** What is recorded with the end of an event. */
export interface Added {
  /** A message that was added to its ticket. */
  link?: InboundLink | undefined;
  notice?: NewWork | undefined;
  /** Added if the ticket is read in direct messages, too (B27). */
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
  if (notice) tx.plan.add(notice);
  if (link && mirror && (await isReadDirectly(tx, link.conversation_id))) tx.plan.add(mirror);
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

/** Returns whether the ticket of a conversation has copies in direct messages. */
async function isReadDirectly(tx: BridgeTx, conversation: string): Promise<boolean> {
  const other = await tx
    .selectFrom('conversation as own')
    .innerJoin('conversation as other', 'other.ticket_id', 'own.ticket_id')
    .select('other.id')
    .where('own.id', '=', conversation)
    .where('other.role', '=', 'direct')
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * Locks a conversation that had no ticket.
 * @throws RetryLater if it has one now: a copy of a card was recorded (B26), which has only finished events handled again.
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
