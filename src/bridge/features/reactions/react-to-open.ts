import type { Bridge } from '../../bridge.ts';
import { plan } from '../../outbox/outbox.ts';
import { changeOf, type EmojiChange, type EmojiOpening, openingOf } from '../../blocks/emoji.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import { CONVERSATION_QUEUE } from '../../inbox/store.ts';
import type { Turn } from '../../inbox/turn.ts';
import { conversationOf, conversationOfThread, placeOf } from '../../threads/conversations.ts';
import { isWatched, watchedTicket } from '../../tickets/watched.ts';
import { describedBy, openTicket, readRoot, refusalOf } from '../../tickets/open-ticket.ts';
import { mayUseEmoji } from '../../tickets/way-in.ts';

/** Handles an emoji that opens a ticket, on a parent message in a linked channel (B1, B3, B5). */
export async function reactToOpen(bridge: Bridge, turn: Turn<EventOf<'reaction'>>): Promise<void> {
  const { place, user, name } = turn.event;
  if (turn.conversationId === null) return toItsThread(bridge, turn);
  const conversation = await conversationOf(bridge.database.db, turn);
  if (![conversation.thread_ts, conversation.description_ts].includes(place.ts))
    return turn.finish('B5 on a reply');
  if (conversation.ticket_id) {
    // Where a private ticket moved is nobody else's business (B14).
    const where = conversation.channel_id === place.channel ? '; you find it in the thread' : '';
    const text = `This message has its ticket already${where}.`;
    return turn.finish('B2 this thread has its ticket', (tx) =>
      plan(tx, bridge, { ...placeOf(conversation), channel: place.channel }, [
        { kind: 'whisper', user, text, thread: place.ts },
      ]),
    );
  }
  const home = await bridge.channels.of(place.channel);
  if (!home?.linked) return turn.finish('B5 the channel is not linked');
  const watched = isWatched(home);
  if (!(await mayUseEmoji(bridge, home, { team: place.team, user })))
    return turn.finish('B5 emoji are for the team here', async (tx) =>
      watched
        ? undefined
        : plan(tx, bridge, placeOf(conversation), [{ kind: 'whisper', user, text: FOR_THE_TEAM }]),
    );
  const root = await readRoot(bridge, place.team, place.channel, place.ts);
  if (!root) return turn.finish('B5 the message is gone, or is a reply');
  if (watched)
    return turn.finish(
      'B56 only watched: B1 reaction',
      await watchedTicket(bridge, root, user, 'B1 reaction'),
    );
  try {
    const request = await describedBy(bridge, root);
    const { opens: opening } = await emojiAt(bridge, place.channel, name);
    const opened = await openTicket(bridge, turn, {
      conversation,
      askedBy: user,
      private: conversation.direct || opening !== 'open',
      aside: opening === 'open-aside',
      ...request,
    });
    await turn.finish(`B1 reaction: opened ${opened.ticket.code}`, (tx) => opened.record(tx));
  } catch (error) {
    const text = refusalOf(error);
    if (text === undefined) throw error;
    await turn.finish('B7, B9 or B2: told why no ticket was opened', (tx) =>
      plan(tx, bridge, placeOf(conversation), [{ kind: 'whisper', user, text }]),
    );
  }
}

const FOR_THE_TEAM =
  'No ticket was opened: in this channel only the help desk’s team opens tickets by emoji. Mention me in the thread instead.';

/** Returns the action of an emoji on a parent message of this channel; usually none. Throws ServiceError. */
export async function emojiAt(
  { channels }: Bridge,
  channel: string,
  name: string,
): Promise<{ opens: EmojiOpening | undefined; changes: EmojiChange | undefined }> {
  const home = await channels.of(channel);
  const actions = home && (await channels.emojiActions(home.workspaceId));
  return { opens: openingOf(name, actions), changes: changeOf(name, actions) };
}

/** An unknown message: if it is a parent, its conversation starts; otherwise nothing happens (B5). */
async function toItsThread(bridge: Bridge, turn: Turn<EventOf<'reaction'>>): Promise<void> {
  const { team, channel, ts } = turn.event.place;
  const root = await readRoot(bridge, team, channel, ts);
  if (!root) return turn.finish('B5 the message is gone, or is a reply');
  const thread = { team, channel, root: ts, direct: root.direct };
  const { id } = await conversationOfThread(bridge.database.db, thread, bridge);
  return turn.move(CONVERSATION_QUEUE, id);
}
