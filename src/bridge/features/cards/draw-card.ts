import { type Card, cardOf, hiddenCard, requesterCard } from '../../blocks/card.ts';
import { similarLines } from '../../blocks/similar.ts';
import type { Bridge } from '../../bridge.ts';
import { maySee } from '../../tickets/may-see-rules.ts';
import { type ConversationRole, findByTicket } from '../../threads/conversations.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { similarTickets } from '../../tickets/similar.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import { controlsOf, factsOf } from '../../tickets/ticket-facts.ts';

/** Where a card of a ticket stands. */
export interface CardPlace {
  channel_id: string;
  /** A direct conversation. */
  direct: boolean;
  role: ConversationRole;
  /** Whose direct messages these are, where it is a copy. */
  recipient_user_id: string | null;
}

/**
 * Whether a place may show what a private ticket is about: where the requester is talked to alone, direct messages
 * of who is party to it still, and private triage channels of its queue (B14, B27). Throws ServiceError or ChatError.
 */
export async function mayShow(bridge: Bridge, ticket: Ticket, place: CardPlace): Promise<boolean> {
  if (!ticket.private) return true;
  if (place.role === 'request') return place.direct;
  if (place.role === 'direct') return maySee(ticket, place.recipient_user_id);
  const channels = await bridge.channels.triagesOf(ticket.queueId ?? undefined);
  return channels.includes(place.channel_id) && bridge.chat.isPrivate(place.channel_id);
}

/** Whether a card shows the ticket as it is: an older state is never drawn over a newer one, nor the same one twice (B31). */
export function isDrawn(
  card: { shown: Date | null; stale: boolean } | undefined,
  ticket: Pick<Ticket, 'updatedAt'>,
): boolean {
  return card?.shown != null && !card.stale && card.shown.toISOString() >= ticket.updatedAt;
}

/** A ticket's card for one place: what it says there, and what it lets people do (B24, B25, B26). */
export async function drawCard(bridge: Bridge, ticket: Ticket, place: CardPlace): Promise<Card> {
  if (!(await mayShow(bridge, ticket, place))) return hiddenCard(ticket.code);
  const queue = ticket.queueId === null ? undefined : await bridge.channels.queue(ticket.queueId);
  const isReadOnly = place.role === 'request' && queue?.settings?.enableUserActions === false;
  const request = await findByTicket(bridge.database.db, ticket.id);
  const reopened = request?.reopened === true && ticket.status.statusGroup.label === 'Open';
  const reader = readerOf(ticket, place);
  const similar = reader === 'triage' || reader === 'team' ? await similarTo(bridge, ticket) : '';
  const facts = { ...(await factsOf(bridge, ticket)), reopened, similar };
  const controls = isReadOnly ? undefined : await controlsOf(bridge, ticket, reader);
  return reader === 'requester' ? requesterCard(facts, controls) : cardOf(facts, controls);
}

/** While a ticket is worked on: public tickets like it, whoever reads the team's card. */
async function similarTo(bridge: Bridge, { id, title, status }: Ticket): Promise<string> {
  if (hasEnded(status.statusGroup.label)) return '';
  const like = { words: title ?? '', searcher: 'everybody', excludeTicketId: id } as const;
  return similarLines(await similarTickets(bridge, like));
}

/** Whom a card is for; all who see its place read it. */
function readerOf({ requesterId, assigneeId }: Ticket, place: CardPlace): Parameters<typeof controlsOf>[2] {
  const { role, recipient_user_id: party } = place;
  if (role === 'triage') return role;
  if (role === 'request' || party === requesterId) return 'requester';
  return party === assigneeId ? 'team' : 'reader';
}
