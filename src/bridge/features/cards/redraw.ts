import type { Bridge } from '../../bridge.ts';
import type { Db } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { cardKey } from '../../slack/ids.ts';
import { type Conversation, locationOf } from '../../store/conversations.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import type { BridgeTx } from '../../work.ts';

export const CARD = featureKind('card');

/** Plans the card of a conversation. It has an ordering key of its own, so that it delays no message. */
export async function planCard(tx: BridgeTx, bridge: Bridge, conversation: Conversation): Promise<void> {
  await planPosts(tx, bridge, { ...locationOf(conversation), orderingKey: cardKey(conversation.id) }, [
    { kind: CARD },
  ]);
}

/** Redraws every card of a ticket, although its record did not change. */
export async function redrawCards(tx: BridgeTx, bridge: Bridge, ticketId: string): Promise<void> {
  await redraw(tx, bridge, await withCard(tx).where('conversation.ticket_id', '=', ticketId).execute());
}

/** Removes expired claims from the cards (B57). */
export async function endClaims(tx: BridgeTx, bridge: Bridge): Promise<void> {
  const expired = withCard(tx)
    .where('conversation.team_id', '=', bridge.bot.team)
    .where('card.claimed_until', '<=', bridge.clock.now());
  await redraw(tx, bridge, await expired.execute());
}

/** Selects conversations that have a card. */
export function withCard(db: Db<BridgeTables> | BridgeTx) {
  return db
    .selectFrom('conversation')
    .innerJoin('card', 'card.conversation_id', 'conversation.id')
    .selectAll('conversation');
}

export async function redraw(
  tx: BridgeTx,
  bridge: Bridge,
  conversations: readonly Conversation[],
): Promise<void> {
  for (const conversation of conversations) {
    await endClaim(tx, conversation);
    await planCard(tx, bridge, conversation);
  }
}

/** The card is drawn again, without a user who is replying. */
export async function endClaim(tx: BridgeTx, { id }: Conversation): Promise<void> {
  await tx
    .updateTable('card')
    .set({ stale: true, claimed_until: null })
    .where('conversation_id', '=', id)
    .execute();
}
