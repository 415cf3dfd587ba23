import type { Bridge } from '../bridge.ts';
import type { CorePost } from '../outbox/outbox.ts';
import { findByTicket } from '../threads/conversations.ts';
import type { Person } from './people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { addNote } from '../tickets/add-note.ts';
import type { Begun } from '../tickets/create-once.ts';
import { isSpokenWithElsewhere } from '../slack/direct-with.ts';
import type { Ticket } from '../tickets/find-ticket.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';

/** A line to be said, where it goes and in whose order. */
export interface PlannedLine {
  channel: string;
  /** That of the direct conversation where absent. */
  orderingKey?: string;
  body: Extract<CorePost, { kind: 'line' }>;
}

/**
 * Where somebody hears of a ticket with whom chat has no direct conversation (B0a): of a public one in its thread; of a
 * private one its team is told, and a note on the ticket says, that they are not reachable in chat. Undefined where
 * there is no such place either, or another workspace's bridge tells them.
 * @param what why they are told, as in "it is assigned to you".
 */
export async function unreached(
  bridge: Bridge,
  begun: Begun,
  ticket: Ticket,
  { chat_user_id: account, name }: Person,
  what: string,
): Promise<PlannedLine | undefined> {
  if (await isSpokenWithElsewhere(bridge, account)) return undefined;
  const reference = ticketLink(bridge, ticket.code);
  const conversation = await findByTicket(bridge.database.db, ticket.id);
  if (!ticket.private && conversation && !conversation.parent_deleted)
    return {
      channel: conversation.channel_id,
      orderingKey: conversation.id,
      body: {
        kind: 'line',
        text: `<@${account}> ${reference}: ${escapeChat(what)}. I cannot write to you directly.`,
        under: conversation.thread_ts,
      },
    };
  const says = `${name} is not reachable in chat, and was to hear: ${what}.`;
  await addNote(bridge, begun, ticket.id, `unreached ${account} ${what}`, says);
  const place = (await bridge.channels.triageOf(ticket.queue?.id)) ?? bridge.adminChannel;
  if (place === undefined) return undefined;
  return { channel: place, body: { kind: 'line', text: `${reference}: ${escapeChat(says)}` } };
}
