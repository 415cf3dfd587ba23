import { LIMITS } from '../../src/bridge/slack/limits.ts';
import type { Place, RecordedMessage, Violation } from './history.ts';
import { type BothSides, messageKey, postsAmong, quoted, type Thread } from './history-sides.ts';

/** The variation of the time that calls take to reach chat, unless a history says otherwise. */
const ON_THE_WAY_MS = 1_000;

/** Both sides have a thread's messages in the order in which they were written. */
export function checkOrder(sides: BothSides, place: Place): Violation[] {
  return sides
    .threadsOf(place)
    .flatMap((thread) => [
      ...checkPostOrder(sides, thread),
      ...(sides.chat.isInOrder ? checkForwardOrder(sides, thread) : []),
    ]);
}

/** When a message reached its ticket; chat may report one late. */
export function arrivedAt({
  source,
  chatChannelId,
  chatMessages,
  createdAt,
}: Pick<RecordedMessage, 'source' | 'chatChannelId' | 'chatMessages' | 'createdAt'>): string {
  const written = source === 'CHAT' && chatMessages.find(({ channelId }) => channelId === chatChannelId);
  return written ? written.createdAt : createdAt;
}

function checkPostOrder(sides: BothSides, thread: Thread): Violation[] {
  const seen: { ticket: string; message: RecordedMessage }[] = [];
  return postsAmong(thread.messages).flatMap(({ messageId: id, kind, ts }): Violation[] => {
    const ticketMessage = sides.ticketMessageById.get(id);
    // A message made public later was written before; a retried one follows messages that did not wait.
    if (
      !ticketMessage ||
      kind === 'file' ||
      sides.tickets.visibilityChanged.has(id) ||
      sides.tickets.retried.has(id)
    )
      return [];
    const { ticket, message } = ticketMessage;
    // The team's copy of what chat reported late follows what was there already.
    const before = seen.find(
      (one) =>
        one.ticket === ticket.id &&
        one.message.createdAt > message.createdAt &&
        arrivedAt(one.message) >= arrivedAt(message),
    );
    seen.push({ ticket: ticket.id, message });
    if (before === undefined) return [];
    const of = `${ticketMessage.ticket.code} ${id} ${quoted(ticketMessage.message.content)}`;
    return [
      { kind: 'out of order', of, what: `posted at ${ts}, after ${before.message.id}, which is younger` },
    ];
  });
}

/** By the creation time of the chat copies at the service; the message's `createdAt` is chat's time. */
function checkForwardOrder(sides: BothSides, thread: Thread): Violation[] {
  let before: { at: string; ts: string } | undefined;
  return thread.messages.flatMap((chatMessage): Violation[] => {
    if (sides.isFromApp(chatMessage)) return [];
    const ticketMessages = sides.ticketMessages.get(messageKey(thread.place.id, chatMessage.ts)) ?? [];
    const [one] = ticketMessages.filter(({ message }) => message.source === 'CHAT' && !message.deleted);
    const at = one?.message.chatMessages.find(({ ts }) => ts === chatMessage.ts)?.createdAt;
    if (!one || at === undefined) return [];
    if (before === undefined || before.at <= at) {
      before = { at, ts: chatMessage.ts };
      return [];
    }
    const of = `${thread.place.name} ${chatMessage.ts} ${quoted(chatMessage.text)}`;
    return [{ kind: 'out of order', of, what: `on ${one.ticket.code} it came before ${before.ts}` }];
  });
}

/** No channel got more posts than a burst and one per gap since (B48). */
export function checkRate({
  chat: { postCalls, gapMs, onTheWayMs = ON_THE_WAY_MS },
}: BothSides): Violation[] {
  const channels = Map.groupBy(postCalls, ({ channel }) => channel);
  return [...channels].flatMap(([channel, posts]): Violation[] => {
    for (const [first, { at }] of posts.entries())
      for (const [more, post] of posts.slice(first).entries()) {
        const tookMs = post.at - at;
        if ((more + 1 - LIMITS.burst) * gapMs <= tookMs + onTheWayMs) continue;
        return [{ kind: 'too fast', of: channel, what: `${more + 1} posts in ${tookMs} ms` }];
      }
    return [];
  });
}
