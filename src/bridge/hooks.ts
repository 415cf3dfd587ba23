import type { KnownBlock } from '@slack/types';

import type { Answer } from '../client/index.ts';
import type { Tx } from '../platform/database/open.ts';
import type { EventContext } from './inbox/turn.ts';
import type { OutboxRow } from './outbox/outbox.ts';
import type { BridgeTables } from './schema/tables.ts';
import type { ChatMessage, EventOf, ListedReaction } from './slack/chat-event.ts';
import type { SenderIdentity } from './slack/mark.ts';
import type { ChatPlace } from './slack/ids.ts';
import type { Image } from './text/to-chat.ts';
import type { Conversation } from './threads/conversations.ts';
import type { MessageLink } from './threads/messages.ts';

type Ticket = Answer<'readTicket'>;
type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** What is written in the transaction that ends the work. */
export type Write = (tx: Tx<BridgeTables>) => Promise<void>;

/** What a mention of the bot in a ticket's thread asks it to do (B32). */
export type Told =
  | { do: 'work'; work: (turn: EventContext<EventOf<'message'>>) => Promise<void> }
  /** Written before the bridge had its tables: it was handled then. */
  | { do: 'past' }
  /** A reply; `hint` is for its author. */
  | { do: 'reply'; hint?: string };

/**
 * What the core tells features, and asks them. Those that take a transaction write in it; the others look first, and
 * return what is written when the work ends.
 */
export interface Hooks {
  /** A thread has its ticket; `imported` are the messages that were there before it. */
  ticketOpened(
    tx: Tx<BridgeTables>,
    opened: {
      conversation: Conversation;
      ticket: Ticket;
      imported: readonly { message: ChatMessage; reactions: readonly ListedReaction[] }[];
    },
  ): Promise<void>;
  /** A ticket's conversation has a first message, or another one. */
  threadBegun(tx: Tx<BridgeTables>, conversation: Conversation): Promise<void>;
  /** Something of a ticket was heard that people may have to be told of. */
  ticketHeard(tx: Tx<BridgeTables>, ticketId: string): Promise<void>;
  /** A chat message is a ticket's from now on. */
  messageLinked(tx: Tx<BridgeTables>, conversationId: string, place: ChatPlace): Promise<void>;
  /** A ticket message was planned or changed in a thread; `links` are those of its files. */
  messageMirrored(
    tx: Tx<BridgeTables>,
    mirrored: {
      conversation: Conversation;
      message: TicketMessage;
      images: readonly Image[];
      as: SenderIdentity | undefined;
      links: readonly MessageLink[];
    },
  ): Promise<void>;
  /** A part of a ticket message stands in chat. */
  messagePosted(tx: Tx<BridgeTables>, linkId: string): Promise<void>;
  /** A planned write can never go through. */
  postFailed(tx: Tx<BridgeTables>, row: OutboxRow): Promise<void>;
  /** A ticket's record may have changed; undefined where it is gone, or not for this key to see. */
  ticketChanged(changed: {
    ticketId: string;
    ticket: Ticket | undefined;
    conversation: Conversation | undefined;
    begun: { firstAttempt: boolean; receivedAt: Date };
  }): Promise<Write>;
  /** A place of a ticket is brought up to its record, before its messages; `visible`: it may show anything of it. */
  threadChanged(changed: { ticket: Ticket; conversation: Conversation; visible: boolean }): Promise<Write>;
  /** The same, after its messages. */
  threadMirrored(changed: {
    ticket: Ticket;
    conversation: Conversation;
    visible: boolean;
    messages: readonly TicketMessage[];
  }): Promise<Write>;
  /** What a message of a ticket's thread tells the bot to do. */
  commandIn(conversation: Conversation, message: ChatMessage): Promise<Told>;
  /** What somebody is told who only says hello. */
  help(): string;
  /** Blocks below a ticket message that all may read. */
  underMessage(message: TicketMessage): readonly KnownBlock[];
  /** The file of chat that a part of a ticket message shows. */
  fileOf(linkId: string): Promise<string | undefined>;
}

/** Every feature's hooks as one; of those that answer, the first that does. */
export function joinHooks(all: readonly Partial<Hooks>[]): Hooks {
  const each =
    <Name extends 'ticketChanged' | 'threadChanged' | 'threadMirrored'>(name: Name) =>
    async (fact: Parameters<Hooks[Name]>[0]): Promise<Write> => {
      const writes: Write[] = [];
      for (const hooks of all) {
        const write = await hooks[name]?.(fact as never);
        if (write) writes.push(write);
      }
      return async (tx) => {
        for (const write of writes) await write(tx);
      };
    };
  return {
    async ticketOpened(tx, opened) {
      for (const hooks of all) await hooks.ticketOpened?.(tx, opened);
    },
    async threadBegun(tx, conversation) {
      for (const hooks of all) await hooks.threadBegun?.(tx, conversation);
    },
    async ticketHeard(tx, ticketId) {
      for (const hooks of all) await hooks.ticketHeard?.(tx, ticketId);
    },
    async messageLinked(tx, conversationId, place) {
      for (const hooks of all) await hooks.messageLinked?.(tx, conversationId, place);
    },
    async messageMirrored(tx, mirrored) {
      for (const hooks of all) await hooks.messageMirrored?.(tx, mirrored);
    },
    async messagePosted(tx, linkId) {
      for (const hooks of all) await hooks.messagePosted?.(tx, linkId);
    },
    async postFailed(tx, row) {
      for (const hooks of all) await hooks.postFailed?.(tx, row);
    },
    ticketChanged: each('ticketChanged'),
    threadChanged: each('threadChanged'),
    threadMirrored: each('threadMirrored'),
    async commandIn(conversation, message) {
      for (const hooks of all) if (hooks.commandIn) return hooks.commandIn(conversation, message);
      return { do: 'reply' };
    },
    help: () => all.map((hooks) => hooks.help?.() ?? '').join(''),
    underMessage: (message) => all.flatMap((hooks) => hooks.underMessage?.(message) ?? []),
    async fileOf(linkId) {
      for (const hooks of all) if (hooks.fileOf) return hooks.fileOf(linkId);
      return undefined;
    },
  };
}
