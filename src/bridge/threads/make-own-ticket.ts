import type { Bridge } from '../bridge.ts';
import type { EventContext } from '../inbox/event-context.ts';
import type { EventOf } from '../slack/chat-event.ts';
import { type Answer, respond } from '../slack/respond.ts';
import { conversationOf, conversationOfThread, findByMessage, leaveThread } from '../store/conversations.ts';
import { findLink } from '../store/links.ts';
import { type Done, workFor } from '../work.ts';
import { removeFromTicket } from './append-message.ts';
import { describedBy, readParent } from './open-ticket.ts';
import { OPEN } from './posts.ts';

/**
 * Handles the button *Make it a new ticket*: removes a message from the ticket that it was added to and opens a ticket
 * for it (B8). Runs under the ordering key of the ticket that the message leaves.
 */
export async function makeOwnTicket(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { team, channel, user, value: ts, responseUrl } = ctx.event.action;
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
  const { title, description } = await describedBy(bridge, message);
  const remove = await removeFromTicket(bridge, conversation, link);
  const hasFiles = message.files.length > 0;
  const request = { title, description, hasFiles, requester: user, private: true, responseUrl };
  ctx.afterwards(() => reply({ text: 'This message becomes a new ticket.', replaces: true }));
  return ctx.finish('the message gets a ticket of its own', async (tx) => {
    await remove(tx);
    const thread = { team, channel, root: ts };
    await leaveThread(tx, thread);
    const { id } = await conversationOfThread(tx, thread, bridge);
    tx.plan.add(workFor(OPEN, id, { open: request, conversation: id }));
  });
}
