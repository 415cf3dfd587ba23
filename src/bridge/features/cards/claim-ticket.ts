import { AnsweredError, ServiceError } from '../../../client/index.ts';
import { type Tx, transaction } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { planCard } from './draw-card.ts';
import type { Conversation } from '../../threads/conversations.ts';
import type { Person } from '../../people/people.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { namesOf } from '../../tickets/ticket-facts.ts';

/**
 * Records for two minutes that a user is replying to a ticket, and shows it on its cards, so that two do not (B57).
 * Best effort: a service without claims, or an unavailable one, does not prevent a reply. Throws no ServiceError.
 * @returns the name of another user who is already replying.
 */
export async function claimTicket(
  bridge: Bridge,
  ticket: Ticket,
  { user_id: userId }: Person,
): Promise<string | undefined> {
  if (userId === null) return undefined;
  try {
    await bridge.service.claimTicket({ params: { id: ticket.id }, body: { userId } });
    await transaction(bridge.database.db, (tx) => redrawCards(tx, bridge, ticket.id));
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isTaken = error instanceof AnsweredError && error.status === 409;
    return isTaken ? await holderOf(bridge, ticket.id) : undefined;
  }
}

async function holderOf(bridge: Bridge, ticketId: string): Promise<string | undefined> {
  try {
    const holder = (await readTicket(bridge, ticketId))?.metadata.claim?.userId;
    return holder === undefined ? undefined : (await namesOf(bridge, [holder]))(holder);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Redraws every card of a ticket, although its record did not change. */
export async function redrawCards(tx: Tx<BridgeTables>, bridge: Bridge, ticketId: string): Promise<void> {
  const conversations = await tx
    .selectFrom('conversation')
    .innerJoin('card', 'card.conversation_id', 'conversation.id')
    .selectAll('conversation')
    .where('conversation.ticket_id', '=', ticketId)
    .execute();
  await redraw(tx, bridge, conversations);
}

/** Removes expired claims from the cards (B57). */
export async function endClaims(tx: Tx<BridgeTables>, bridge: Bridge): Promise<void> {
  const conversations = await tx
    .selectFrom('conversation')
    .innerJoin('card', 'card.conversation_id', 'conversation.id')
    .selectAll('conversation')
    .where('conversation.team_id', '=', bridge.bot.team)
    .where('card.claimed_until', '<=', bridge.clock.now())
    .execute();
  await redraw(tx, bridge, conversations);
}

async function redraw(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversations: readonly Conversation[],
): Promise<void> {
  for (const conversation of conversations) {
    await tx
      .updateTable('card')
      .set({ stale: true, claimed_until: null })
      .where('conversation_id', '=', conversation.id)
      .execute();
    await planCard(tx, bridge, conversation);
  }
}
