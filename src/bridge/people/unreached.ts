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

/** A message to post, its place and its ordering key. */
export interface PlannedLine {
  channel: string;
  /** Default the direct message's. */
  orderingKey?: string;
  body: Extract<CorePost, { kind: 'line' }>;
}

/**
 * Returns where to notify a user without a direct message channel (B0a): for a public ticket in its thread; for a
 * private one its team is told, and a note on the ticket says, that they are not reachable in chat. Undefined if there
 * is no such place, or another workspace's bridge notifies them.
 * @param what the reason, as in "it is assigned to you".
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
