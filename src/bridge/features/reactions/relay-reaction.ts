import { transaction } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { isDeliveryMark, isForwarded } from '../../blocks/emoji.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import { conversationOfMessage, CONVERSATION_QUEUE } from '../../inbox/store.ts';
import type { Turn } from '../../inbox/turn.ts';
import { conversationOf } from '../../threads/conversations.ts';
import { compareTs } from '../../slack/ids.ts';
import { findLink } from '../../threads/messages.ts';
import { findReaction, hearReaction, lockMessage } from './store.ts';
import { carryReaction } from './carry-reaction.ts';
import { reactToChange } from './react-to-change.ts';
import { emojiAt, reactToOpen } from './react-to-open.ts';

/**
 * Handles a reaction added or removed in chat: some open a ticket or change one (B1); others are forwarded to the
 * ticket message (B12).
 */
export async function relayReaction(bridge: Bridge, turn: Turn<EventOf<'reaction'>>): Promise<void> {
  const { place, user, name, added, eventTs } = turn.event;
  if (user === bridge.bot.userId) return turn.finish('B16 our own reaction');
  // Removing an emoji undoes nothing.
  const { opens, changes } = added ? await emojiAt(bridge, place.channel, name) : NOTHING;
  if (isDeliveryMark(name) && !opens && !changes) return turn.finish('B12 a mark that is kept for the bot');
  if (turn.conversationId === null && opens) return reactToOpen(bridge, turn);
  if (turn.conversationId === null && isForwarded(name)) return hearOfUnknown(bridge, turn);
  const { db } = bridge.database;
  const at = bridge.clock.now();
  const conversation = turn.conversationId === null ? undefined : await conversationOf(db, turn);
  const isFirst = [conversation?.thread_ts, conversation?.description_ts].includes(place.ts);
  if (opens && isFirst) return reactToOpen(bridge, turn);
  if (changes && isFirst && conversation?.ticket_id)
    return reactToChange(bridge, turn, { conversation, ticketId: conversation.ticket_id, change: changes });
  // On any other message it is forwarded, unless the bot uses it as a status reaction.
  if (isDeliveryMark(name)) return turn.finish('B12 a mark that is kept for the bot');
  if (!conversation || !isForwarded(name)) return turn.finish('B5 it opens tickets, and does nothing here');
  const heard = (why: string) => turn.finish(why, (tx) => hearReaction(tx, turn.event, at));
  if (conversation.ticket_id === null) return heard('B12 no ticket in this thread');
  const link = await findLink(db, place);
  if (!link && isFirst) return turn.finish('B12 a ticket itself bears no reactions');
  if (!link || link.deleted) return heard('B12 not a message of the ticket');
  const known = await findReaction(db, turn.event);
  if (known && compareTs(eventTs, known.event_ts) < 0) return turn.finish('B12 older than what is known');
  const { why, record } = await carryReaction(bridge, conversation, link, {
    place,
    user,
    name,
    present: added,
    userId: known?.user_id ?? null,
  });
  return turn.finish(why, async (tx) => {
    await hearReaction(tx, turn.event, at);
    await record(tx);
  });
}

const NOTHING = { opens: undefined, changes: undefined };

/** Handles a reaction on an unknown message, or one without a ticket: it is stored until the message is known. */
async function hearOfUnknown(bridge: Bridge, turn: Turn<EventOf<'reaction'>>): Promise<void> {
  const { place } = turn.event;
  const conversation = await transaction(bridge.database.db, async (tx) => {
    await lockMessage(tx, place);
    await hearReaction(tx, turn.event, bridge.clock.now());
    return conversationOfMessage(tx, place);
  });
  if (conversation !== undefined) return turn.move(CONVERSATION_QUEUE, conversation);
  return turn.finish('B12 not a message of a ticket');
}
