import { enqueue } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../slack/respond.ts';
import type { EventOf } from '../slack/chat-event.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import type { Turn } from '../inbox/turn.ts';
import { conversationOf, conversationOfThread, findByMessage, leaveThread } from './conversations.ts';
import { findLink } from './messages.ts';
import { describedBy, readRoot } from '../tickets/open-ticket.ts';
import { takeOffTicket } from './take-off-ticket.ts';

/**
 * *Make it a new ticket*: a message that was added to the last ticket of a direct message leaves it and opens its own
 * (B8). Runs under the ordering key of the ticket that it leaves.
 */
export async function makeOwnTicket(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const { team, channel, user, value: ts, responseUrl } = turn.event.action;
  const place = { team, channel, ts };
  const tell = (answer: Answer) => respond(bridge, responseUrl, answer);
  const { db } = bridge.database;
  if (turn.conversationId === null) {
    const conversation = await findByMessage(db, place);
    if (conversation) return turn.move(CONVERSATION_QUEUE, conversation.id);
    await turn.finish('B8 the message is of no ticket');
    return tell({ text: 'This message is on no ticket any more.' });
  }
  const conversation = await conversationOf(db, turn);
  const link = await findLink(db, place);
  const message =
    link?.conversation_id === conversation.id && !link.deleted
      ? await readRoot(bridge, team, channel, ts)
      : undefined;
  if (!link || !message) {
    await turn.finish('B8 the message has its own ticket, or is gone');
    return tell({ text: 'This message has a ticket of its own already, or was deleted.' });
  }
  const { title, description } = await describedBy(bridge, message);
  const taken = await takeOffTicket(bridge, link);
  const open = { title, description, requester: user, private: true, responseUrl };
  await turn.finish('B8 the message gets a ticket of its own', async (tx) => {
    await taken(tx);
    const thread = { team, channel, root: ts };
    await leaveThread(tx, thread);
    const { id } = await conversationOfThread(tx, thread, bridge);
    await enqueue(tx, [{ queue: CONVERSATION_QUEUE, orderingKey: id, payload: { open, conversation: id } }]);
  });
  return tell({ text: 'This message becomes a ticket of its own.', replaces: true });
}
