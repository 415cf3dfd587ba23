import { readPostMetadata } from '../../src/bridge/slack/post-metadata.ts';
import type { SeenMessage } from './chat.ts';
import type { ChatHistory, Place, RecordedMessage, RecordedTicket, TicketHistory } from './history.ts';
import type { Names } from './words.ts';

/** A ticket message with its ticket. */
export interface TicketMessage {
  ticket: RecordedTicket;
  message: RecordedMessage;
}

/** A post of the app with a ticket message, or a part of it. */
export interface Post {
  ts: string;
  messageId: string;
  /** A file has no text. */
  kind: 'text' | 'file';
  part: number;
  chatMessage: SeenMessage;
}

export interface Thread {
  place: Place;
  root: string;
  messages: SeenMessage[];
}

export const messageKey = (channel: string, ts: string) => `${channel} ${ts}`;

/** Both sides, with indexes for the checks. */
export class BothSides {
  readonly chat: ChatHistory;
  readonly tickets: TicketHistory;
  readonly names: Names;
  /** Messages in chat by channel and ts. */
  readonly chatMessages = new Map<string, SeenMessage>();
  readonly people: ReadonlyMap<string, ChatHistory['people'][number]>;
  /** Ticket messages by the chat messages in their records. */
  readonly ticketMessages = new Map<string, TicketMessage[]>();
  readonly ticketMessageById = new Map<string, TicketMessage>();
  readonly ticketsByThread = new Map<string, RecordedTicket[]>();

  constructor(chat: ChatHistory, tickets: TicketHistory) {
    this.chat = chat;
    this.tickets = tickets;
    this.names = {
      people: chat.people.flatMap(({ names }) => names),
      channels: new Map(chat.places.map(({ id, name }) => [id, name])),
    };
    this.people = new Map(chat.people.map((person) => [person.id, person]));
    for (const { id, messages } of chat.places)
      for (const message of messages) this.chatMessages.set(messageKey(id, message.ts), message);
    for (const ticket of tickets.tickets) {
      for (const { channelId, messageTs } of ticket.chatThreads)
        push(this.ticketsByThread, messageKey(channelId, messageTs), ticket);
      for (const message of ticket.messages) {
        this.ticketMessageById.set(message.id, { ticket, message });
        for (const { channelId, ts } of message.chatMessages)
          push(this.ticketMessages, messageKey(channelId, ts), { ticket, message });
      }
    }
  }

  /** Internal notes belong in threads of triage channels; a person's message there becomes one. */
  isTriageChannel(channel: string): boolean {
    return this.tickets.tickets.some(({ chatThreads }) =>
      chatThreads.some((thread) => thread.type === 'TRIAGE' && thread.channelId === channel),
    );
  }

  isForTeam({ id }: Place, { chatThreads }: RecordedTicket): boolean {
    return chatThreads.some(({ channelId, type }) => type === 'TRIAGE' && channelId === id);
  }

  /** Whether a triage channel may show a ticket: one that everybody reads, or, if it is private, one of its own queue. */
  mayShowToTeam({ id, kind }: Place, ticket: RecordedTicket): boolean {
    const isForAll = !ticket.private && !this.tickets.restrictedQueues.has(ticket.queueId ?? '');
    return isForAll || (kind === 'group' && this.tickets.triages.get(id)?.queueId === ticket.queueId);
  }

  threadType({ chatThreads }: RecordedTicket, { place, root }: Thread): string | null | undefined {
    return chatThreads.find((one) => one.channelId === place.id && one.messageTs === root)?.type;
  }

  threadsOf(place: Place): Thread[] {
    const threads = new Map<string, SeenMessage[]>();
    for (const message of place.messages)
      if (message.ephemeralFor === undefined) push(threads, message.thread_ts ?? message.ts, message);
    return [...threads].map(([root, messages]) => ({
      place,
      root,
      messages: messages.toSorted((a, b) => Number(a.ts) - Number(b.ts)),
    }));
  }

  /** Whether a person wrote a ticket message in this thread. */
  wasWrittenIn(message: RecordedMessage, { place, root }: Thread): boolean {
    return message.chatMessages.some(({ channelId, ts }) => {
      if (channelId !== place.id) return false;
      const original = this.chatMessages.get(messageKey(channelId, ts));
      return (
        original !== undefined && !this.isFromApp(original) && (original.thread_ts ?? original.ts) === root
      );
    });
  }

  isFromApp({ user, bot_id }: SeenMessage): boolean {
    return this.chat.appIds.has(user ?? '') || this.chat.appIds.has(bot_id ?? '');
  }

  /** Another app, or a message without a user. */
  isFromOtherApp({ user, bot_id }: SeenMessage): boolean {
    return bot_id !== undefined || user === undefined || this.people.get(user)?.isBot !== false;
  }

  isGuest({ user }: SeenMessage): boolean {
    return this.people.get(user ?? '')?.isGuest === true;
  }
}

/** The posts of ticket messages among messages in chat. */
export function postsAmong(messages: readonly SeenMessage[]): Post[] {
  return messages.flatMap((chatMessage): Post[] => {
    const { metadata } = readPostMetadata(chatMessage) ?? {};
    if (metadata?.message === undefined) return [];
    const { message: messageId, kind = 'text', part = 0 } = metadata;
    return [{ ts: chatMessage.ts, messageId, kind, part, chatMessage }];
  });
}

/** The posts of a thread that show a part of a ticket message that an earlier one shows. */
export function repeatedAmong(posts: readonly Post[]): Post[] {
  const isSame = (one: Post, other: Post) =>
    one.messageId === other.messageId && one.kind === other.kind && one.part === other.part;
  return posts.filter((post, at) => posts.findIndex((one) => isSame(one, post)) !== at);
}

export const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
export const listIds = (messages: readonly TicketMessage[]) =>
  messages.map(({ ticket, message }) => `${ticket.code} ${message.id}`).join(', ');

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}
