import { ACTIONS } from '../blocks/results.ts';
import type { Bridge } from '../bridge.ts';
import type { CorePost } from '../outbox/outbox.ts';
import { hasEnded } from '../tickets/status-rules.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import { type Conversation, lastInDirect } from './conversations.ts';
import { escapeChat } from '../text/to-chat.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';

/** Returns the conversation that a direct message continues: the last one, if its ticket is open (B8). */
export async function openTicketBefore(
  bridge: Bridge,
  message: ChatMessage,
): Promise<Conversation | undefined> {
  const last = await lastInDirect(bridge.database.db, message);
  if (!last?.ticket_id) return undefined;
  const ticket = await readTicket(bridge, last.ticket_id);
  return ticket && !hasEnded(ticket.status.statusGroup.label) ? last : undefined;
}

/**
 * Returns the line below a message that names the ticket it was added to, with the button that makes it a separate
 * ticket (B8).
 */
export async function addedLine(
  bridge: Bridge,
  { ticket_id }: Conversation,
  { ts }: ChatMessage,
): Promise<CorePost[]> {
  const ticket = await readTicket(bridge, ticket_id ?? '');
  if (!ticket) return [];
  const text = `Added to ${ticketLink(bridge, ticket.code)} ${escapeChat(ticket.title ?? '')}`;
  const button = {
    type: 'button',
    action_id: ACTIONS.ownTicket,
    value: ts,
    text: { type: 'plain_text', text: 'Make it a new ticket' },
  };
  const blocks = [
    { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text }] },
    { type: 'actions', elements: [button] },
  ];
  return [{ kind: 'line', text, blocks, under: ts }];
}
