import { readPostMetadata } from '../../src/bridge/slack/post-metadata.ts';
import type { Place, RecordedMessage, RecordedTicket, Violation } from './history.ts';
import {
  type BothSides,
  messageKey,
  type Post,
  postsAmong,
  quoted,
  repeatedAmong,
  type Thread,
} from './history-sides.ts';
import { mentionedNames, type Words, wordsInChat, wordsOnTicket } from './words.ts';

/** The types of threads with a copy of a ticket's card; any other type is a thread with the requester. */
const CARD_THREADS: readonly (string | null)[] = ['TRIAGE', 'PERSONAL_DM'];

/** Every message of a ticket that its thread must show is there, once, with all of its parts and its text. */
export function checkMirrored(sides: BothSides, place: Place): Violation[] {
  return sides
    .threadsOf(place)
    .flatMap((thread) =>
      (sides.ticketsByThread.get(messageKey(place.id, thread.root)) ?? []).flatMap((ticket) =>
        checkThread(sides, thread, ticket),
      ),
    );
}

function checkThread(sides: BothSides, thread: Thread, ticket: RecordedTicket): Violation[] {
  const { place } = thread;
  const type = sides.threadType(ticket, thread);
  const posts = postsAmong(thread.messages);
  return ticket.messages.flatMap((message): Violation[] => {
    const of = `${ticket.code} ${message.id} ${quoted(message.content)}`;
    const own = posts.filter((post) => post.messageId === message.id);
    if (sides.tickets.undelivered.has(message.id)) return [];
    if (message.deleted)
      return own.length > 0 ? [{ kind: 'not deleted', of, what: `it stands in ${place.name}` }] : [];
    if (sides.wasWrittenIn(message, thread)) {
      if (own.length === 0) return [];
      return [{ kind: 'doubled', of, what: `it was written in ${place.name} and posted there again` }];
    }
    const words = own.filter(({ kind }) => kind === 'text');
    if (repeatedAmong(own).length > 0)
      return [{ kind: 'doubled', of, what: `in ${place.name} at ${own.map(({ ts }) => ts).join(', ')}` }];
    if (words.length === 0)
      return isDue(sides, thread, ticket, message, type)
        ? [{ kind: 'lost', of, what: `it is not in ${place.name} ${thread.root}` }]
        : [];
    // How a message of a private ticket was edited since is not for the readers of this place: it stays as it was (B14).
    if (isClosed(place, ticket)) return [];
    return compareParts(sides, of, message, words);
  });
}

/** Whether everybody reads a place, and not a ticket whose messages were posted there before it became private. */
const isClosed = (place: Place, ticket: RecordedTicket) => ticket.private && !isPrivatePlace(place);

/** Whether a thread must show a message that was not written in it. */
function isDue(
  sides: BothSides,
  thread: Thread,
  ticket: RecordedTicket,
  message: RecordedMessage,
  type: string | null | undefined,
): boolean {
  if (type === 'PERSONAL_DM') return false;
  if (type === 'TRIAGE') return isShownToTeam(sides, thread.place, ticket, message);
  if (message.private) return false;
  // The conversation continues in the newest thread (B11, B58).
  const [current] = ticket.chatThreads
    .filter((one) => !CARD_THREADS.includes(one.type))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
  if (current?.channelId !== thread.place.id || current.messageTs !== thread.root) return false;
  if (isClosed(thread.place, ticket)) return false;
  // It may be in the thread that this one replaced; the copy in its team's thread is no reason to lack it here.
  const cards = ticket.chatThreads.filter((one) => CARD_THREADS.includes(one.type));
  const elsewhere = sides.chat.places.some((place) =>
    place.messages.some((shown) => {
      if (readPostMetadata(shown)?.metadata.message !== message.id) return false;
      const root = shown.thread_ts ?? shown.ts;
      if (place.id === thread.place.id && root === thread.root) return false;
      return !cards.some((card) => card.channelId === place.id && card.messageTs === root);
    }),
  );
  if (elsewhere) return false;
  if (message.chatMessages.length > 0 && message.source === 'CHAT') return false;
  return message.createdAt >= current.createdAt || isOpenedInChat(sides, thread);
}

/** Whether the team's thread shows a message, by what its channel is set to. */
function isShownToTeam(
  sides: BothSides,
  place: Place,
  ticket: RecordedTicket,
  message: RecordedMessage,
): boolean {
  if (!sides.mayShowToTeam(place, ticket)) return false;
  const shows = sides.tickets.triages.get(place.id)?.shows;
  if (message.private || shows === 'everything') return true;
  return shows === 'answers' && message.authorId !== ticket.requesterId;
}

/** The ticket began with a message of this thread, so nothing was written on it before. */
function isOpenedInChat(sides: BothSides, { root, place }: Thread): boolean {
  const first = sides.chatMessages.get(messageKey(place.id, root));
  return first !== undefined && !sides.isFromApp(first);
}

function compareParts(
  sides: BothSides,
  of: string,
  message: RecordedMessage,
  posts: readonly Post[],
): Violation[] {
  const parts = posts.toSorted((a, b) => a.part - b.part);
  // What was taken back with its whole ticket, and posted anew, has the next numbers.
  const from = parts[0]?.part ?? 0;
  if (parts.some(({ part }, at) => part !== from + at))
    return [{ kind: 'lost', of, what: `of its parts there are ${parts.map(({ part }) => part).join(', ')}` }];
  if (parts.some(({ ts }, at) => at > 0 && Number(ts) < Number(parts[at - 1]?.ts)))
    return [{ kind: 'out of order', of, what: `its parts: ${parts.map(({ ts }) => ts).join(', ')}` }];
  const names = { ...sides.names, people: [...sides.names.people, ...mentionedNames(message.content)] };
  const shown = parts.map((post) => wordsInChat(post.chatMessage, names).letters).join('');
  const wanted: Words = wordsOnTicket(message.content, names);
  // An edit that needs more posts than exist ends with a hint (B20).
  const isCut = JSON.stringify(parts.at(-1)?.chatMessage.blocks).includes('the ticket has all of it');
  const same = isCut ? wanted.letters.startsWith(shown) : shown === wanted.letters;
  if (!same && from > 0 && wanted.letters.endsWith(shown))
    return [
      {
        kind: 'lost',
        of,
        what: `its first parts; it begins with ${quoted(parts[0]?.chatMessage.text ?? '')}`,
      },
    ];
  return same
    ? []
    : [{ kind: 'different', of, what: `in chat it says ${quoted(parts[0]?.chatMessage.text ?? '')}` }];
}

/** If an answer's record names its post, the name is right; another service may not record it. */
export function checkRecordedPosts(sides: BothSides): Violation[] {
  return sides.chat.places.flatMap((place) =>
    sides
      .threadsOf(place)
      .flatMap(({ messages }) => postsAmong(messages))
      .flatMap(({ messageId: id, kind, ts }): Violation[] => {
        const ticketMessage = sides.ticketMessageById.get(id);
        if (!ticketMessage || ticketMessage.message.source === 'CHAT' || kind === 'file') return [];
        const recorded = ticketMessage.message.chatMessages.filter(({ channelId }) => channelId === place.id);
        if (recorded.length === 0 || recorded.some((one) => one.ts === ts)) return [];
        const of = `${ticketMessage.ticket.code} ${id} ${quoted(ticketMessage.message.content)}`;
        const where = recorded.map((one) => one.ts).join(', ');
        return [{ kind: 'recorded elsewhere', of, what: `it stands at ${ts}, its record says ${where}` }];
      }),
  );
}

/** Only its members can read it. */
function isPrivatePlace({ kind }: Place): boolean {
  return kind !== 'channel';
}
