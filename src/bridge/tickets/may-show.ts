import type { Bridge } from '../bridge.ts';
import type { ConversationRole } from '../threads/conversations.ts';
import type { Ticket } from './find-ticket.ts';
import { maySee } from './may-see-rules.ts';

/** Where a card of a ticket is. */
export interface CardPlace {
  channel_id: string;
  /** A direct message. */
  direct: boolean;
  role: ConversationRole;
  /** The user of these direct messages, if it is a copy. */
  recipient_user_id: string | null;
}

/**
 * Returns whether a place may show a private ticket: the requester's own thread, direct messages of current
 * participants, and private triage channels of its queue (B14, B27). Throws ServiceError or ChatError.
 */
export async function mayShow(bridge: Bridge, ticket: Ticket, place: CardPlace): Promise<boolean> {
  if (!ticket.private) return true;
  if (place.role === 'request') return place.direct;
  if (place.role === 'direct') return maySee(ticket, place.recipient_user_id);
  const channels = await bridge.channels.triagesOf(ticket.queueId ?? undefined);
  return channels.includes(place.channel_id) && bridge.chat.isPrivate(place.channel_id);
}
