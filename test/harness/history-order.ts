import { LIMITS } from '../../src/bridge/slack/limits.ts';
import type { Place, Violation } from './history.ts';
import { type BothSides, FIRST_FILE, keyOf, quoted, type Thread } from './history-sides.ts';

/** The variation of the time that calls take to reach chat. */
const ON_THE_WAY_MS = 1_000;

/** Both sides have a thread's messages in the order in which they were written. */
export function orderOf(sides: BothSides, place: Place): Violation[] {
  return sides
    .threadsOf(place)
    .flatMap((thread) => [
      ...postedInOrder(sides, thread),
      ...(sides.chat.toldInOrder ? writtenInOrder(sides, thread) : []),
    ]);
}

function postedInOrder(sides: BothSides, thread: Thread): Violation[] {
  const seen = new Map<string, { at: string; id: string }>();
  return sides.postsIn(thread).flatMap(({ message: id, part, ts }): Violation[] => {
    const carried = sides.byId.get(id);
    // A message made public later was written before; a retried one follows messages that did not wait.
    if (!carried || part >= FIRST_FILE || sides.tickets.shown.has(id) || sides.tickets.retried.has(id))
      return [];
    const before = seen.get(carried.ticket.id);
    const at = carried.message.createdAt;
    if (before === undefined || before.at <= at) {
      seen.set(carried.ticket.id, { at, id });
      return [];
    }
    const of = `${carried.ticket.code} ${id} ${quoted(carried.message.content)}`;
    return [{ kind: 'out of order', of, what: `posted at ${ts}, after ${before.id}, which is younger` }];
  });
}

/** By the creation time of the chat copies at the service; the message's `createdAt` is chat's time. */
function writtenInOrder(sides: BothSides, thread: Thread): Violation[] {
  let before: { at: string; ts: string } | undefined;
  return thread.messages.flatMap((said): Violation[] => {
    if (sides.isOwn(said)) return [];
    const carried = sides.carried.get(keyOf(thread.place.id, said.ts)) ?? [];
    const [one] = carried.filter(({ message }) => message.source === 'CHAT' && !message.deleted);
    const at = one?.message.chatMessages.find(({ ts }) => ts === said.ts)?.createdAt;
    if (!one || at === undefined) return [];
    if (before === undefined || before.at <= at) {
      before = { at, ts: said.ts };
      return [];
    }
    const of = `${thread.place.name} ${said.ts} ${quoted(said.text)}`;
    return [{ kind: 'out of order', of, what: `on ${one.ticket.code} it came before ${before.ts}` }];
  });
}

/** No channel got more posts than a burst and one per gap since (B48). */
export function tooFast({ chat: { posted, gapMs } }: BothSides): Violation[] {
  const channels = Map.groupBy(posted, ({ channel }) => channel);
  return [...channels].flatMap(([channel, posts]): Violation[] => {
    for (const [first, { at }] of posts.entries())
      for (const [more, post] of posts.slice(first).entries()) {
        const tookMs = post.at - at;
        if ((more + 1 - LIMITS.burst) * gapMs <= tookMs + ON_THE_WAY_MS) continue;
        return [{ kind: 'too fast', of: channel, what: `${more + 1} posts in ${tookMs} ms` }];
      }
    return [];
  });
}
