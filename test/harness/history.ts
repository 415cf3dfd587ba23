import { readPostMetadata } from '../../src/bridge/slack/mark.ts';
import { isGreeting } from '../../src/bridge/threads/rules.ts';
import { isOnlyThanks } from '../../src/bridge/tickets/rules.ts';
import { threadCommand } from '../../src/bridge/features/commands/rules.ts';
import type { SeenMessage } from './chat.ts';
import { type Called, namedOnTicket, type Words, wordsInChat, wordsOnTicket } from './words.ts';

/** What chat holds, and what was said there. */
export interface ChatHistory {
  /** User ids and bot ids of the app, in every workspace. */
  own: ReadonlySet<string>;
  people: readonly { id: string; names: readonly string[]; isBot: boolean; isGuest: boolean }[];
  places: readonly Place[];
  /** Everything that the app posted or changed a post to, also what does not stand any more. */
  said: readonly { channel: string; words: string }[];
  /** Chat told each event once, at once and in order: then they are worked in that order too (B66). */
  toldInOrder: boolean;
  /** What will not cross before somebody retries it by hand (B49), as `channel ts`. */
  undelivered: ReadonlySet<string>;
}

/** A channel with everything that stands in it, in order. */
export interface Place {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  messages: readonly SeenMessage[];
}

/** What the service holds, and who changed it other than the bridge. */
export interface TicketHistory {
  tickets: readonly RecordedTicket[];
  /** Channels whose messages are for a queue. */
  linked: ReadonlySet<string>;
  /** Ids of ticket messages that were edited, deleted, or shown to others than before, by others than the bridge. */
  edited: ReadonlySet<string>;
  deleted: ReadonlySet<string>;
  shown: ReadonlySet<string>;
  /** Ticket messages that will not be posted before somebody retries it by hand (B49). */
  undelivered: ReadonlySet<string>;
  /** Ticket messages that were posted because somebody retried it by hand: the thread had gone on (B49). */
  retried: ReadonlySet<string>;
}

export interface RecordedTicket {
  id: string;
  code: string;
  title: string | null;
  description: string | null;
  private: boolean;
  chatThreads: readonly { channelId: string; messageTs: string; type: string | null; createdAt: string }[];
  /** In the order in which the service lists them, deleted ones too. */
  messages: readonly RecordedMessage[];
}

export interface RecordedMessage {
  id: string;
  content: string;
  private: boolean;
  deleted: boolean;
  source: string | null;
  status: string | null;
  chatChannelId: string | null;
  createdAt: string;
  chatMessages: readonly { channelId: string; ts: string; createdAt: string }[];
}

export interface Violation {
  kind: 'lost' | 'doubled' | 'out of order' | 'different' | 'not deleted' | 'leaked';
  /** Which message, on the side where it was written. */
  of: string;
  what: string;
}

/** Kinds of chat messages that are somebody's words; every other is a notice of chat (B21). */
const SPOKEN: readonly (string | undefined)[] = [
  undefined,
  'me_message',
  'file_share',
  'thread_broadcast',
  'bot_message',
];
/** Threads in which a copy of a ticket's card stands; any other is where its requester is talked to. */
const COPIES: readonly (string | null)[] = ['TRIAGE', 'PERSONAL_DM'];
/** From here on the parts of a post are its files, which have no words (src/bridge/features/files/store.ts). */
const FIRST_FILE = 10_000;
/** The bridge's own notes stand in a channel by this name, which no chat has. */
const OWN_NOTES = 'deskbridge';
/** Fewer letters than that may be said by chance. */
const TELLING_LETTERS = 10;

/**
 * Compares what was said on both sides when all is quiet: every message crossed exactly once, per thread in order, with
 * the same words; what was deleted is deleted on both sides; nothing private stands, or ever stood, where others read.
 *
 * What need not cross, each with the rule that says so:
 *  - ephemeral messages (B0a), and what the bridge itself posts that is of no ticket message: cards, notices, answers (B16);
 *  - other apps' messages, which a setting of the bridge admits (B17), and notices of chat (B21);
 *  - a message in a thread without a ticket (B12) and of a channel that is linked to no queue (B7);
 *  - one that is nothing but a mention (B2, B6), a greeting (B8), or a command to the bot (B32);
 *  - the words that describe a ticket: its first message (B6), or the answer to what is needed (B6), or one that got a
 *    ticket of its own (B8);
 *  - a guest's mention, whose ticket a workspace may refuse (B9);
 *  - what somebody deleted or edited at the desk of what a person wrote in chat: chat cannot follow (B13);
 *  - what a private ticket says, in a thread that others read (B14);
 *  - what was written on a ticket before it had the thread (B1: what was answered before is history);
 *  - what is undelivered (B49); once it is retried it may stand after what was written later;
 *  - the end of an edit that has become longer than its posts (B20).
 */
export function checkHistory(chat: ChatHistory, tickets: TicketHistory): Violation[] {
  const history = new Histories(chat, tickets);
  return [
    ...history
      .places()
      .flatMap((place) => [
        ...history.whatPeopleSaid(place),
        ...history.whatTicketsSay(place),
        ...history.orderOf(place),
      ]),
    ...history.deletions(),
    ...history.leaks(),
  ];
}

/** A ticket message, and the ticket it is of. */
interface Carried {
  ticket: RecordedTicket;
  message: RecordedMessage;
}

/** A post of the app that carries (a part of) a ticket message. */
interface Post {
  ts: string;
  message: string;
  part: number;
  shown: SeenMessage;
}

interface Thread {
  place: Place;
  root: string;
  messages: SeenMessage[];
}

const keyOf = (channel: string, ts: string) => `${channel} ${ts}`;

class Histories {
  readonly #chat: ChatHistory;
  readonly #tickets: TicketHistory;
  readonly #called: Called;
  /** What stands in chat, by channel and ts. */
  readonly #standing = new Map<string, SeenMessage>();
  readonly #people: ReadonlyMap<string, ChatHistory['people'][number]>;
  /** Ticket messages by the chat messages that their records name. */
  readonly #carried = new Map<string, Carried[]>();
  readonly #byId = new Map<string, Carried>();
  readonly #ofThread = new Map<string, RecordedTicket[]>();

  constructor(chat: ChatHistory, tickets: TicketHistory) {
    this.#chat = chat;
    this.#tickets = tickets;
    this.#called = {
      people: chat.people.flatMap(({ names }) => names),
      channels: new Map(chat.places.map(({ id, name }) => [id, name])),
    };
    this.#people = new Map(chat.people.map((person) => [person.id, person]));
    for (const { id, messages } of chat.places)
      for (const message of messages) this.#standing.set(keyOf(id, message.ts), message);
    for (const ticket of tickets.tickets) {
      for (const { channelId, messageTs } of ticket.chatThreads)
        push(this.#ofThread, keyOf(channelId, messageTs), ticket);
      for (const message of ticket.messages) {
        this.#byId.set(message.id, { ticket, message });
        for (const { channelId, ts } of message.chatMessages)
          push(this.#carried, keyOf(channelId, ts), { ticket, message });
      }
    }
  }

  places(): readonly Place[] {
    return this.#chat.places;
  }

  /** Every message of a person is on its ticket, once, with its words. */
  whatPeopleSaid(place: Place): Violation[] {
    return place.messages.flatMap((said): Violation[] => {
      if (said.ephemeralFor !== undefined || this.#isOwn(said)) return [];
      const key = keyOf(place.id, said.ts);
      const carried = this.#carried.get(key) ?? [];
      const standing = carried.filter(({ message }) => !message.deleted);
      const of = `${place.name} ${said.ts} ${quoted(said.text)}`;
      if (standing.length > 1)
        return [
          { kind: 'doubled', of, what: `on the ticket ${standing.length} times: ${namesOf(standing)}` },
        ];
      const [one] = standing;
      if (one) return this.#compared(of, said, one);
      if (this.#chat.undelivered.has(key)) return [];
      if (carried.some(({ message }) => this.#tickets.deleted.has(message.id))) return [];
      const why = this.#missing(place, said);
      return why === undefined ? [] : [{ kind: 'lost', of, what: why }];
    });
  }

  /** Why a message that is on no ticket should be on one; undefined where it need not. */
  #missing(place: Place, said: SeenMessage): string | undefined {
    if (!SPOKEN.includes(said.subtype) || this.#isApp(said)) return undefined;
    const hasFiles = (said.files ?? []).length > 0;
    const { letters, namesGroups } = wordsInChat(said, this.#called);
    const hasWords = hasFiles || namesGroups || this.#saysSomething(said);
    if (!hasWords) return undefined;
    const root = said.thread_ts ?? said.ts;
    const tickets = this.#ofThread.get(keyOf(place.id, root)) ?? [];
    const mentions = [...this.#chat.own].filter((id) => said.text.includes(`<@${id}`));
    if (tickets.length === 0) {
      if (mentions.length === 0 || !this.#tickets.linked.has(place.id)) return undefined;
      const words = withoutMentions(said.text);
      if (isGreeting(words) || isOnlyThanks(words) || this.#isGuest(said)) return undefined;
      return 'it asks for a ticket, and its thread has none';
    }
    if (said.ts === root) return undefined;
    if (mentions.some((bot) => threadCommand(said.text, bot) !== undefined)) return undefined;
    if (tickets.some((ticket) => this.#describes(ticket, letters, keyOf(place.id, root)))) return undefined;
    return `it is not on ${tickets.map(({ code }) => code).join(', ')}`;
  }

  /** Whether a ticket is described by just these words, and not by the first message of its thread (B6, B8). */
  #describes({ description }: RecordedTicket, letters: string, root: string): boolean {
    const first = this.#standing.get(root);
    const described = wordsOnTicket(description ?? '', this.#called).letters;
    return described === letters && (!first || wordsInChat(first, this.#called).letters !== described);
  }

  /** Whether a message has more than mentions. */
  #saysSomething({ text }: SeenMessage): boolean {
    return withoutMentions(text).trim() !== '';
  }

  #compared(of: string, said: SeenMessage, { message }: Carried): Violation[] {
    // What others than people post may stand in its attachments and blocks alone (B21).
    if (this.#isApp(said) || this.#tickets.edited.has(message.id)) return [];
    if (this.#chat.undelivered.has(keyOf(said.channel, said.ts))) return [];
    const wanted = wordsInChat(said, this.#called);
    if (wanted.namesGroups) return [];
    const content = message.content.replace(/^\*\*[^\n]+?:\*\* /, '');
    const is = [content, message.content].map((text) => wordsOnTicket(text, this.#called).letters);
    // Files stand behind the words, a line for each (B18).
    const same = is.some((letters) =>
      (said.files ?? []).length > 0 ? letters.startsWith(wanted.letters) : letters === wanted.letters,
    );
    if (same) return [];
    return [{ kind: 'different', of, what: `on the ticket it says ${quoted(message.content)}` }];
  }

  /** Every message of a ticket that its thread is to show is in it, once, in all its parts and with its words. */
  whatTicketsSay(place: Place): Violation[] {
    return this.#threadsOf(place).flatMap((thread) =>
      (this.#ofThread.get(keyOf(place.id, thread.root)) ?? []).flatMap((ticket) =>
        this.#shownIn(thread, ticket),
      ),
    );
  }

  #shownIn(thread: Thread, ticket: RecordedTicket): Violation[] {
    const { place } = thread;
    const type = this.#threadType(ticket, thread);
    const posts = this.#postsIn(thread);
    return ticket.messages.flatMap((message): Violation[] => {
      const of = `${ticket.code} ${message.id} ${quoted(message.content)}`;
      const own = posts.filter((post) => post.message === message.id);
      if (this.#tickets.undelivered.has(message.id)) return [];
      if (message.deleted)
        return own.length > 0 ? [{ kind: 'not deleted', of, what: `it stands in ${place.name}` }] : [];
      if (this.#cameFrom(message, thread)) {
        if (own.length === 0) return [];
        return [{ kind: 'doubled', of, what: `it was written in ${place.name} and posted there again` }];
      }
      const words = own.filter(({ part }) => part < FIRST_FILE);
      const twice = own.filter(({ part }, at) => own.findIndex((one) => one.part === part) !== at);
      if (twice.length > 0)
        return [{ kind: 'doubled', of, what: `in ${place.name} at ${own.map(({ ts }) => ts).join(', ')}` }];
      if (words.length === 0)
        return this.#isDue(thread, ticket, message, type)
          ? [{ kind: 'lost', of, what: `it is not in ${place.name} ${thread.root}` }]
          : [];
      return this.#comparedParts(of, message, words);
    });
  }

  /** Whether a thread has to show a message that was not written in it. */
  #isDue(
    thread: Thread,
    ticket: RecordedTicket,
    message: RecordedMessage,
    type: string | null | undefined,
  ): boolean {
    if (type === 'PERSONAL_DM') return false;
    if (type === 'TRIAGE') return message.private && (!ticket.private || thread.place.kind === 'group');
    if (message.private) return false;
    // Its talk goes on in the newest of its threads (B11, B58).
    const [talk] = ticket.chatThreads
      .filter((one) => !COPIES.includes(one.type))
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
    if (talk?.channelId !== thread.place.id || talk.messageTs !== thread.root) return false;
    if (ticket.private && !isClosed(thread.place)) return false;
    // It may stand in the thread that this one took the place of.
    const elsewhere = this.#chat.places.some((place) =>
      place.messages.some(
        (shown) =>
          readPostMetadata(shown)?.mark.message === message.id &&
          (place.id !== thread.place.id || (shown.thread_ts ?? shown.ts) !== thread.root),
      ),
    );
    if (elsewhere) return false;
    if (message.chatMessages.length > 0 && message.source === 'CHAT') return false;
    return message.createdAt >= talk.createdAt || this.#isOpenedInChat(thread);
  }

  /** The ticket began with a message of this thread: nothing can have been written on it before. */
  #isOpenedInChat({ root, place }: Thread): boolean {
    const first = this.#standing.get(keyOf(place.id, root));
    return first !== undefined && !this.#isOwn(first);
  }

  #comparedParts(of: string, message: RecordedMessage, posts: readonly Post[]): Violation[] {
    const parts = posts.toSorted((a, b) => a.part - b.part);
    if (parts.some(({ part }, at) => part !== at))
      return [
        { kind: 'lost', of, what: `of its parts there are ${parts.map(({ part }) => part).join(', ')}` },
      ];
    if (parts.some(({ ts }, at) => at > 0 && Number(ts) < Number(parts[at - 1]?.ts)))
      return [{ kind: 'out of order', of, what: `its parts: ${parts.map(({ ts }) => ts).join(', ')}` }];
    const called = { ...this.#called, people: [...this.#called.people, ...namedOnTicket(message.content)] };
    const shown = parts.map((post) => wordsInChat(post.shown, called).letters).join('');
    const wanted: Words = wordsOnTicket(message.content, called);
    // An edit that needs more posts than there are ends with a hint (B20).
    const isCut = JSON.stringify(parts.at(-1)?.shown.blocks).includes('the ticket has all of it');
    const same = isCut ? wanted.letters.startsWith(shown) : shown === wanted.letters;
    return same
      ? []
      : [{ kind: 'different', of, what: `in chat it says ${quoted(parts[0]?.shown.text ?? '')}` }];
  }

  /** Both sides tell a thread in the order in which it was said. */
  orderOf(place: Place): Violation[] {
    return this.#threadsOf(place).flatMap((thread) => [
      ...this.#postedInOrder(thread),
      ...(this.#chat.toldInOrder ? this.#writtenInOrder(thread) : []),
    ]);
  }

  #postedInOrder(thread: Thread): Violation[] {
    const seen = new Map<string, { at: string; id: string }>();
    return this.#postsIn(thread).flatMap(({ message: id, part, ts }): Violation[] => {
      const carried = this.#byId.get(id);
      // What others may read only now was written before it was due; what was retried comes after what did not wait.
      if (!carried || part >= FIRST_FILE || this.#tickets.shown.has(id) || this.#tickets.retried.has(id))
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

  /** By the copies in chat that the service noted as it stored them; `createdAt` is chat's own time. */
  #writtenInOrder(thread: Thread): Violation[] {
    let before: { at: string; ts: string } | undefined;
    return thread.messages.flatMap((said): Violation[] => {
      if (this.#isOwn(said)) return [];
      const carried = this.#carried.get(keyOf(thread.place.id, said.ts)) ?? [];
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

  /** What does not stand in chat any more does not stand on its ticket, and the other way round. */
  deletions(): Violation[] {
    const known = new Set(this.#chat.places.map(({ id }) => id));
    const violations: Violation[] = [];
    for (const { ticket, message } of this.#byId.values()) {
      const of = `${ticket.code} ${message.id} ${quoted(message.content)}`;
      if (message.deleted || message.source !== 'CHAT') continue;
      const copies = message.chatMessages.filter(({ channelId }) => known.has(channelId));
      const gone = copies.filter(({ channelId, ts }) => !this.#standing.has(keyOf(channelId, ts)));
      if (gone.length === 0 || gone.length < copies.length) continue;
      if (gone.some(({ channelId, ts }) => this.#chat.undelivered.has(keyOf(channelId, ts)))) continue;
      violations.push({ kind: 'not deleted', of, what: `it stands in chat no more: ${gone[0]?.ts ?? ''}` });
    }
    for (const place of this.#chat.places)
      for (const shown of place.messages) {
        const id = readPostMetadata(shown)?.mark.message;
        if (id === undefined || this.#byId.has(id)) continue;
        violations.push({
          kind: 'not deleted',
          of: id,
          what: `it is on no ticket, and stands in ${place.name}`,
        });
      }
    return violations;
  }

  /** What is private stands, and ever stood, only where nobody else reads. */
  leaks(): Violation[] {
    const violations: Violation[] = [];
    for (const place of this.#chat.places)
      for (const shown of place.messages) {
        const carried = this.#byId.get(readPostMetadata(shown)?.mark.message ?? '');
        if (!carried?.message.private || this.#isForTeam(place, carried.ticket)) continue;
        const of = `${carried.ticket.code} ${carried.message.id}`;
        violations.push({ kind: 'leaked', of, what: `a note stands in ${place.name} at ${shown.ts}` });
      }
    const open = this.#openWords();
    for (const { of, letters, ticket } of this.#secrets())
      for (const { channel, words } of this.#everSaid()) {
        if (!words.includes(letters) || open.some((text) => text.includes(letters))) continue;
        const place = this.#chat.places.find(({ id }) => id === channel);
        if (!place || place.kind !== 'channel' || this.#isForTeam(place, ticket)) continue;
        violations.push({ kind: 'leaked', of, what: `its words were said in ${place.name}` });
      }
    return violations;
  }

  /** Texts that were never anything but private. */
  *#secrets(): Generator<{ of: string; letters: string; ticket: RecordedTicket }> {
    for (const ticket of this.#tickets.tickets)
      for (const message of ticket.messages) {
        if (!message.private || message.status !== 'CREATED' || message.chatChannelId === OWN_NOTES) continue;
        if (this.#tickets.shown.has(message.id) || this.#tickets.edited.has(message.id)) continue;
        const { letters } = wordsOnTicket(message.content, this.#called);
        if (letters.length >= TELLING_LETTERS) yield { of: `${ticket.code} ${message.id}`, letters, ticket };
      }
  }

  /** What anybody may know: what people say themselves, and what is not private on tickets. */
  #openWords(): string[] {
    const said = this.#chat.places.flatMap(({ messages }) =>
      messages.filter((message) => !this.#isOwn(message)),
    );
    const written = this.#tickets.tickets.flatMap(({ title, description, messages }) => [
      title ?? '',
      description ?? '',
      ...messages.filter((message) => !message.private).map(({ content }) => content),
    ]);
    return [
      ...said
        .filter(({ channel }) => !this.#isNotePlace(channel))
        .map((message) => wordsInChat(message, this.#called).letters),
      ...written.map((text) => wordsOnTicket(text, this.#called).letters),
    ];
  }

  #everSaid(): { channel: string; words: string }[] {
    const lettersOf = (text: string) => wordsInChat({ text, blocks: [] }, this.#called).letters;
    const standing = this.#chat.places.flatMap(({ id, messages }) =>
      messages.filter((message) => this.#isOwn(message)).map(({ text }) => ({ channel: id, words: text })),
    );
    return [...standing, ...this.#chat.said].map(({ channel, words }) => ({
      channel,
      words: lettersOf(words),
    }));
  }

  /** Notes stand in the threads of triage channels; what a person writes there is one. */
  #isNotePlace(channel: string): boolean {
    return this.#tickets.tickets.some(({ chatThreads }) =>
      chatThreads.some((thread) => thread.type === 'TRIAGE' && thread.channelId === channel),
    );
  }

  #isForTeam({ id }: Place, { chatThreads }: RecordedTicket): boolean {
    return chatThreads.some(({ channelId, type }) => type === 'TRIAGE' && channelId === id);
  }

  #threadType({ chatThreads }: RecordedTicket, { place, root }: Thread): string | null | undefined {
    return chatThreads.find((one) => one.channelId === place.id && one.messageTs === root)?.type;
  }

  #threadsOf(place: Place): Thread[] {
    const threads = new Map<string, SeenMessage[]>();
    for (const message of place.messages)
      if (message.ephemeralFor === undefined) push(threads, message.thread_ts ?? message.ts, message);
    return [...threads].map(([root, messages]) => ({
      place,
      root,
      messages: messages.toSorted((a, b) => Number(a.ts) - Number(b.ts)),
    }));
  }

  #postsIn({ messages }: Thread): Post[] {
    return messages.flatMap((shown): Post[] => {
      const { mark } = readPostMetadata(shown) ?? {};
      if (mark?.message === undefined) return [];
      return [{ ts: shown.ts, message: mark.message, part: mark.part ?? 0, shown }];
    });
  }

  /** Whether a person wrote a ticket message in this very thread. */
  #cameFrom(message: RecordedMessage, { place, root }: Thread): boolean {
    return message.chatMessages.some(({ channelId, ts }) => {
      if (channelId !== place.id) return false;
      const said = this.#standing.get(keyOf(channelId, ts));
      return said !== undefined && !this.#isOwn(said) && (said.thread_ts ?? said.ts) === root;
    });
  }

  #isOwn({ user, bot_id }: SeenMessage): boolean {
    return this.#chat.own.has(user ?? '') || this.#chat.own.has(bot_id ?? '');
  }

  /** Another app, or nobody at all. */
  #isApp({ user, bot_id }: SeenMessage): boolean {
    return bot_id !== undefined || user === undefined || this.#people.get(user)?.isBot !== false;
  }

  #isGuest({ user }: SeenMessage): boolean {
    return this.#people.get(user ?? '')?.isGuest === true;
  }
}

/** Others than its own people do not read it. */
function isClosed({ kind }: Place): boolean {
  return kind !== 'channel';
}

const withoutMentions = (text: string) => text.replaceAll(/<@[^>]*>/g, ' ');
const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
const namesOf = (carried: readonly Carried[]) =>
  carried.map(({ ticket, message }) => `${ticket.code} ${message.id}`).join(', ');

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}
