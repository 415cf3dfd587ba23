import { type Card, cardOf, hiddenCard, requesterCard } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { type CardPlace, mayShow } from '../../tickets/may-show.ts';
import { z } from 'zod';

import type { Tx } from '../../../platform/database/open.ts';
import { featureKind, plan } from '../../outbox/outbox.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { cardKey } from '../../slack/ids.ts';
import { type Conversation, findByTicket, placeOf } from '../../threads/conversations.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { similarLines, similarTickets } from '../../tickets/similar.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import { controlsOf, factsOf } from '../../tickets/ticket-facts.ts';

/**
 * Returns whether a card is up to date: an older state never replaces a newer one, and the same one is not drawn twice
 * (B31).
 */
export function isDrawn(
  card: { shown: Date | null; stale: boolean } | undefined,
  ticket: Pick<Ticket, 'updatedAt'>,
): boolean {
  return card?.shown != null && !card.stale && card.shown.toISOString() >= ticket.updatedAt;
}

/** Returns a ticket's card for one place, with its controls (B24, B25, B26). */
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

/** On open tickets: similar public tickets, for readers of the team's card. */
async function similarTo(bridge: Bridge, { id, title, status }: Ticket): Promise<string> {
  if (hasEnded(status.statusGroup.label)) return '';
  const like = { words: title ?? '', searcher: 'everybody', excludeTicketId: id } as const;
  return similarLines(await similarTickets(bridge, like));
}

/** Returns who a card is for; everyone in its place can read it. */
function readerOf({ requesterId, assigneeId }: Ticket, place: CardPlace): Parameters<typeof controlsOf>[2] {
  const { role, recipient_user_id: party } = place;
  if (role === 'triage') return role;
  if (role === 'request' || party === requesterId) return 'requester';
  return party === assigneeId ? 'team' : 'reader';
}

/** A copy of a ticket's card in a place that has none yet; its thread is the team's, or a person's (B26, B27). */
export const CardCopy = z.object({
  ticket: z.string(),
  role: z.enum(['triage', 'direct']),
  /** The service's user whose direct messages these are. */
  party: z.string().optional(),
});
export type CardCopy = z.infer<typeof CardCopy>;

export const CARD = featureKind('card');

/** Plans the card of a conversation. It has a lane of its own: drawn when it is sent, it must hold up nobody's words. */
export async function planCard(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
): Promise<void> {
  await plan(tx, bridge, { ...placeOf(conversation), orderingKey: cardKey(conversation.id) }, [
    { kind: CARD },
  ]);
}
