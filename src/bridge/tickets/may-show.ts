import type { Bridge } from '../bridge.ts';
import type { ConversationRole } from '../threads/conversations.ts';
import type { Ticket } from './find-ticket.ts';
import { maySee } from './may-see-rules.ts';

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
