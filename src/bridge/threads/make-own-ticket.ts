import type { Bridge } from '../bridge.ts';
import { reportFailure } from '../inbox/answer-in-time.ts';
import type { EventContext } from '../inbox/event-context.ts';
import type { ChatMessage, EventOf } from '../slack/chat-event.ts';
import { type Answer, respond } from '../slack/respond.ts';
import {
  type Conversation,
  conversationOf,
  conversationOfId,
  conversationOfThread,
  findByMessage,
  joinThread,
  leaveThread,
} from '../store/conversations.ts';
import { findLink, linkById, type MessageLink } from '../store/links.ts';
import type { OpenRequest } from '../store/posts.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';
import { type BodyOf, type Done, keyOfLane, type Work, workFor, type Write } from '../work.ts';
import { removeFromTicket } from './append-message.ts';
import { describedBy, readParent } from './open-ticket.ts';
import { LEAVE, OPEN } from './posts.ts';

/**
 * Handles the button *Make it a new ticket*: opens a ticket for a message that was added to another one, which it
 * leaves once its own is open (B8). Runs under the ordering key of the ticket that the message leaves.
 */
export async function makeOwnTicket(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { team, channel, value: ts, responseUrl } = ctx.event.action;
  const place = { team, channel, ts };
  const reply = (answer: Answer) => respond(bridge, responseUrl, answer);
  const { db } = bridge.database;
  if (ctx.conversationId === null) {
    const conversation = await findByMessage(db, place);
    if (conversation) return ctx.move(conversation.id);
    ctx.afterwards(() => reply({ text: 'This message is no longer on a ticket.' }));
    return ctx.finish('the message is on no ticket');
  }
  const conversation = await conversationOf(db, ctx);
  const link = await findLink(db, place);
  const message =
    link?.conversation_id === conversation.id && !link.deleted
      ? await readParent(bridge, team, channel, ts)
      : undefined;
  if (!link || !message) {
    ctx.afterwards(() => reply({ text: 'This message already has its own ticket, or was deleted.' }));
    return ctx.finish('the message has its own ticket, or is gone');
  }
  try {
    const open = await requestOwn(bridge, ctx, message, link);
    ctx.afterwards(() => reply({ text: 'This message becomes a new ticket.', replaces: true }));
    return ctx.finish('the message gets a ticket of its own', open);
  } catch (error) {
    return reportFailure(bridge, ctx, error, reply, true);
  }
}

/** Returns the write that makes the message's thread a conversation of its own, in which its ticket is opened. */
async function requestOwn(
  bridge: Bridge,
  { event: { action } }: EventContext<EventOf<'action'>>,
  message: ChatMessage,
  link: MessageLink,
): Promise<Write> {
  const { team, channel, user, responseUrl } = action;
  const { title, description } = await describedBy(bridge, message);
  const open: OpenRequest = {
    title,
    description,
    hasFiles: message.files.length > 0,
    requester: user,
    private: true,
    responseUrl,
    leaves: { conversation: link.conversation_id, link: link.id },
  };
  return async (tx) => {
    const thread = { team, channel, root: message.ts };
    await leaveThread(tx, thread);
    const { id } = await conversationOfThread(tx, thread, bridge);
    tx.plan.add(workFor(OPEN, id, { open, conversation: id }));
  };
}

/** The message has its own ticket: it goes from the one that it was added to. Throws ServiceError. */
export async function leaveTicket(bridge: Bridge, work: Work<BodyOf<typeof LEAVE>>): Promise<Done> {
  const { db } = bridge.database;
  const conversation = await conversationOfId(db, keyOfLane(work.lane));
  const link = await linkById(db, work.body.link);
  if (!conversation || !link || link.deleted) return { outcome: 'the message is no longer there' };
  return {
    outcome: 'the message left for its own ticket',
    write: await removeFromTicket(bridge, conversation, link),
  };
}

/**
 * The message gets no ticket of its own: its thread belongs again to the ticket that it never left.
 * @returns what is said of that, and the write; undefined if that conversation is gone. Throws ServiceError.
 */
export async function stayOnTicket(
  bridge: Bridge,
  thread: Conversation,
  { conversation: id }: NonNullable<OpenRequest['leaves']>,
): Promise<{ text: string; conversation: Conversation; write: Write } | undefined> {
  const conversation = await conversationOfId(bridge.database.db, id);
  if (!conversation?.ticket_id) return undefined;
  const ticket = await readTicket(bridge, conversation.ticket_id);
  return {
    text: `Your message stays on ${ticket ? ticketLink(bridge, ticket.code) : 'its ticket'}.`,
    conversation,
    write: (tx) => joinThread(tx, thread, conversation),
  };
}
