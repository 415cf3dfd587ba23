import type { Bridge } from '../../bridge.ts';
import type { Write } from '../../hooks.ts';
import type { Conversation } from '../../threads/conversations.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { isDrawn, planCard } from './draw-card.ts';
import { planStatus, wantedStatus } from './mark-status.ts';

/** Plans the card and the status emoji of a place where they are not as the ticket is now. Throws ServiceError. */
export async function mirrorCard(
  bridge: Bridge,
  { ticket, conversation, visible }: { ticket: Ticket; conversation: Conversation; visible: boolean },
): Promise<Write> {
  const status = await wantedStatus(bridge, ticket, conversation, visible);
  return async (tx) => {
    const card = await tx
      .selectFrom('card')
      .select(['shown', 'stale', 'claimed_until'])
      .where('conversation_id', '=', conversation.id)
      .executeTakeFirst();
    // Who was answering has answered, which is no change of the ticket (B57).
    const answered = visible && card?.claimed_until != null && ticket.metadata.claim === null;
    if (answered)
      await tx
        .updateTable('card')
        .set({ stale: true, claimed_until: null })
        .where('conversation_id', '=', conversation.id)
        .execute();
    if (!visible || answered || !isDrawn(card, ticket)) await planCard(tx, bridge, conversation);
    await planStatus(tx, bridge, conversation, status);
  };
}
