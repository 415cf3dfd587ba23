import type { KnownBlock } from '@slack/types';
import type { RawBuilder } from 'kysely';

import type { Answer } from '../client/index.ts';
import type { Drawn } from './blocks/kit.ts';
import type { EventContext } from './inbox/event-context.ts';
import type { OutboxRow } from './store/posts.ts';
import type { ChatMessage, EventOf, ListedReaction } from './slack/chat-event.ts';
import type { SenderIdentity } from './slack/post-metadata.ts';
import type { ChatFile } from './slack/file.ts';
import type { ChatPlace } from './slack/ids.ts';
import type { Attachment } from './store/attachments.ts';
import type { Conversation, KnownConversation } from './store/conversations.ts';
import type { MessageLink } from './store/links.ts';
import type { BridgeTx, Done, NewWork, Write } from './work.ts';

type Ticket = Answer<'readTicket'>;
type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** How to treat a message of a ticket's thread that may be a command (B32). */
export type MentionCommand =
  | { do: 'work'; work: (ctx: EventContext<EventOf<'message'>>) => Promise<Done> }
  /** A command from before the bridge had its tables: it was handled then. */
  | { do: 'past' }
  /** A reply; `hint` is a text for its author. */
  | { do: 'reply'; hint?: string };

/**
 * The hooks that the core calls and features implement. A hook with a transaction writes in it; the others read first
 * and return a function that writes when the work ends.
 */
export interface Hooks {
  /** A ticket was opened on a thread; `imported` are the thread's earlier messages. */
  ticketOpened(
    tx: BridgeTx,
    opened: {
      conversation: Conversation;
      ticket: Ticket;
      imported: readonly { message: ChatMessage; reactions: readonly ListedReaction[] }[];
    },
  ): Promise<void>;
  /** A ticket's conversation got its first message, or another first message. */
  threadStarted(tx: BridgeTx, conversation: Conversation): Promise<void>;
  /** The work to add where a ticket may have changed in a way that its users are notified of. */
  notificationCheck(ticketId: string): NewWork;
  /** The service warns of a ticket's target, or asks for something to be written in chat. */
  postsRequested(tx: BridgeTx): Promise<void>;
  /** A chat message was linked to a ticket. */
  messageLinked(tx: BridgeTx, conversationId: string, place: ChatPlace): Promise<void>;
  /** A message written in Slack is on its ticket now, changed there, or deleted. */
  messageForwarded(tx: BridgeTx, ticketId: string): Promise<void>;
  /** A chat message with files was forwarded, or one of its files changed. */
  filesForwarded(
    tx: BridgeTx,
    forwarded: {
      conversation: Pick<Conversation, 'id'>;
      ticketId: string;
      /** The ticket message; null if it is the ticket's description. */
      messageId: string | null;
      /** The service's user who wrote it; null if there is none. */
      authorId: string | null;
      files: readonly ChatFile[];
      /** They are answers of the form that opened the ticket. */
      ofForm?: boolean;
    },
  ): Promise<void>;
  /** A ticket message was planned or changed in a thread; `links` are those of its files. */
  messageMirrored(
    tx: BridgeTx,
    mirrored: {
      conversation: Conversation;
      message: TicketMessage;
      attachments: readonly Attachment[];
      as: SenderIdentity | undefined;
      links: readonly MessageLink[];
    },
  ): Promise<void>;
  /** A part of a ticket message was posted, and its place is recorded. */
  messagePosted(linkId: string): Promise<Write | undefined>;
  /** A planned post failed permanently. */
  postFailed(tx: BridgeTx, row: OutboxRow): Promise<void>;
  /** A ticket's record may have changed; undefined if it was deleted or the bridge's key may not read it. */
  ticketChanged(changed: {
    ticketId: string;
    ticket: Ticket | undefined;
    conversation: Conversation | undefined;
    /** The other places in which its card stands. */
    copies: readonly Conversation[];
    begun: { firstAttempt: boolean; receivedAt: Date };
  }): Promise<Write | undefined>;
  /**
   * Posts that show a ticket outside of its threads must be removed: it was deleted, or not everyone may read it now.
   */
  ticketHidden(ticketId: string): Promise<Write | undefined>;
  /** A conversation of a ticket is updated, before its messages; `visible`: the place may show the ticket. */
  threadChanged(changed: {
    ticket: Ticket;
    conversation: Conversation;
    visible: boolean;
  }): Promise<Write | undefined>;
  /** JSON expressions over a row of `conversation` that features select with a ticket's conversations, by name. */
  readWith(): Readonly<Record<string, RawBuilder<unknown>>>;
  /**
   * Like `ticketMirrored`, for several places at once after their messages; undefined for a place that is up to date.
   */
  threadsMirrored(changed: {
    ticket: Ticket;
    conversations: readonly KnownConversation[];
    visible: boolean;
    messages: readonly TicketMessage[];
  }): Promise<readonly (Write | undefined)[]>;
  /** Returns whether a message of a ticket's thread is a command to the bot. */
  commandIn(conversation: Conversation, message: ChatMessage): Promise<MentionCommand>;
  /** Returns the answer to a greeting, in a direct message or a channel. */
  greeting(place: 'direct' | 'channel'): Drawn;
  /** Returns the blocks below a public ticket message. */
  underMessage(message: TicketMessage): readonly KnownBlock[];
  /** Returns the Slack file that a part of a ticket message shows. */
  fileOf(linkId: string): Promise<string | undefined>;
}

/** Combines several writes; undefined if there are none. */
function joinWrites(all: readonly (Write | undefined)[]): Write | undefined {
  const writes = all.filter((write) => write !== undefined);
  if (writes.length === 0) return undefined;
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}

/** Joins the hooks of all features. Of hooks with a result, the first result counts. */
export function joinHooks(all: readonly Partial<Hooks>[]): Hooks {
  const each =
    <Name extends 'messagePosted' | 'ticketChanged' | 'ticketHidden' | 'threadChanged'>(name: Name) =>
    async (fact: Parameters<Hooks[Name]>[0]): Promise<Write | undefined> =>
      joinWrites(await Promise.all(all.map(async (hooks) => hooks[name]?.(fact as never))));
  return {
    async ticketOpened(tx, opened) {
      for (const hooks of all) await hooks.ticketOpened?.(tx, opened);
    },
    async threadStarted(tx, conversation) {
      for (const hooks of all) await hooks.threadStarted?.(tx, conversation);
    },
    notificationCheck(ticketId) {
      for (const hooks of all) if (hooks.notificationCheck) return hooks.notificationCheck(ticketId);
      throw new Error('no feature checks what people are to be notified of');
    },
    async postsRequested(tx) {
      for (const hooks of all) await hooks.postsRequested?.(tx);
    },
    async messageLinked(tx, conversationId, place) {
      for (const hooks of all) await hooks.messageLinked?.(tx, conversationId, place);
    },
    async messageForwarded(tx, ticketId) {
      for (const hooks of all) await hooks.messageForwarded?.(tx, ticketId);
    },
    async filesForwarded(tx, forwarded) {
      for (const hooks of all) await hooks.filesForwarded?.(tx, forwarded);
    },
    async messageMirrored(tx, mirrored) {
      for (const hooks of all) await hooks.messageMirrored?.(tx, mirrored);
    },
    async postFailed(tx, row) {
      for (const hooks of all) await hooks.postFailed?.(tx, row);
    },
    messagePosted: each('messagePosted'),
    ticketChanged: each('ticketChanged'),
    ticketHidden: each('ticketHidden'),
    threadChanged: each('threadChanged'),
    readWith: () =>
      Object.assign({}, ...all.map((hooks) => hooks.readWith?.())) as Record<string, RawBuilder<unknown>>,
    async threadsMirrored(changed) {
      const writes = await Promise.all(all.map(async (hooks) => hooks.threadsMirrored?.(changed)));
      return changed.conversations.map((_, place) => joinWrites(writes.map((of) => of?.[place])));
    },
    async commandIn(conversation, message) {
      for (const hooks of all) if (hooks.commandIn) return hooks.commandIn(conversation, message);
      return { do: 'reply' };
    },
    greeting(place) {
      for (const hooks of all) if (hooks.greeting) return hooks.greeting(place);
      return { text: 'Hi!', blocks: [] };
    },
    underMessage: (message) => all.flatMap((hooks) => hooks.underMessage?.(message) ?? []),
    async fileOf(linkId) {
      for (const hooks of all) if (hooks.fileOf) return hooks.fileOf(linkId);
      return undefined;
    },
  };
}
