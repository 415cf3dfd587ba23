import type { Bridge } from '../bridge.ts';
import { plan } from '../chat/outbox.ts';
import { decideMessage, isOurs, type MessageDecision } from '../decide/message.ts';
import type { ChatMessage, EventOf } from '../intake/chat-event.ts';
import { wasDeleted } from '../intake/store.ts';
import type { Turn } from '../intake/turn.ts';
import { type Conversation, conversationOf, placeOf } from '../links/conversations.ts';
import { findLink } from '../links/messages.ts';
import { appendMessage } from './append-message.ts';
import { hasContent, mentionsUser } from './message-text.ts';
import { describedBy, openTicket, readRoot, refusalOf } from './open-ticket.ts';

/** A new message in a channel: it opens a ticket, becomes a ticket message, or is none of the bridge's business. */
export async function relayMessage(bridge: Bridge, turn: Turn<EventOf<'message'>>): Promise<void> {
  const { message } = turn.event;
  const conversation = await conversationOf(bridge.database.db, turn);
  const decision = await decide(bridge, conversation, message);
  const user = message.user ?? '';
  switch (decision.do) {
    case 'ignore':
      return turn.finish(decision.why);
    case 'ask':
      return turn.finish(decision.why, async (tx) => {
        await tx
          .updateTable('conversation')
          .set({ asked_user_id: user })
          .where('id', '=', conversation.id)
          .execute();
        await plan(tx, bridge, placeOf(conversation), [
          {
            kind: 'line',
            thread: conversation.root_ts,
            text: `<@${user}> What do you need? Your next message here becomes the ticket.`,
          },
        ]);
      });
    case 'say-already':
      return turn.finish(decision.why, (tx) =>
        plan(tx, bridge, placeOf(conversation), [
          {
            kind: 'whisper',
            user,
            thread: conversation.root_ts,
            text: 'This thread has its ticket already: every reply here is on it.',
          },
        ]),
      );
    case 'append':
      return appendMessage(bridge, turn, conversation, message, decision.why);
    case 'open':
      return open(bridge, turn, conversation, message, decision);
  }
}

async function open(
  bridge: Bridge,
  turn: Turn<EventOf<'message'>>,
  conversation: Conversation,
  message: ChatMessage,
  decision: Extract<MessageDecision, { do: 'open' }>,
): Promise<void> {
  const isRoot = message.ts === conversation.root_ts;
  const root =
    decision.text === 'this' || isRoot
      ? message
      : ((await readRoot(bridge, message.team, message.channel, message.root)) ?? message);
  try {
    const request = await describedBy(bridge, root);
    const opened = await openTicket(bridge, turn, {
      conversation,
      askedBy: message.user ?? '',
      // What is said in a direct conversation is nobody else's business (B8).
      private: conversation.direct || (await bridge.chat.isDirect(message.channel)),
      ...request,
    });
    await turn.finish(`${decision.why}: opened ${opened.ticket.code}`, (tx) => opened.record(tx));
  } catch (error) {
    const text = refusalOf(error);
    if (text === undefined) throw error;
    await turn.finish('B7 or B2: told why no ticket was opened', (tx) =>
      plan(tx, bridge, placeOf(conversation), [
        { kind: 'whisper', user: message.user ?? '', thread: conversation.root_ts, text },
      ]),
    );
  }
}

async function decide(
  bridge: Bridge,
  conversation: Conversation,
  message: ChatMessage,
): Promise<MessageDecision> {
  const { bot } = bridge;
  const link = await findLink(bridge.database.db, message);
  return decideMessage({
    isRoot: message.ts === conversation.root_ts,
    isOurs: isOurs(message, bot),
    fromBot: message.botId !== undefined || message.user === undefined,
    subtype: message.subtype,
    mentionsBot: mentionsUser(message, bot.userId),
    hasContent: hasContent(message, bot.userId),
    isDeleted: await wasDeleted(bridge.database.db, message),
    isLinked:
      link !== undefined || (conversation.ticket_id !== null && message.ts === conversation.description_ts),
    hasTicket: conversation.ticket_id !== null,
    isAnswer: conversation.asked_user_id !== null && conversation.asked_user_id === message.user,
  });
}
