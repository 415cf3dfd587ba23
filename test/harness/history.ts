import type { TeamThread } from '../../src/contract/index.ts';
import type { SeenMessage } from './chat.ts';
import { checkDeletions, checkLeaks, checkTakenBack } from './history-gone.ts';
import { checkOrder, checkRate } from './history-order.ts';
import { BothSides } from './history-sides.ts';
import { checkRecordedPosts, checkMirrored } from './history-to-chat.ts';
import { checkForwarded } from './history-to-ticket.ts';

/** The state of chat, and its log. */
export interface ChatHistory {
  /** User ids and bot ids of the app, in every workspace. */
  appIds: ReadonlySet<string>;
  people: readonly { id: string; names: readonly string[]; isBot: boolean; isGuest: boolean }[];
  places: readonly Place[];
  /** Every text that the app posted or edited, including deleted ones. */
  postedTexts: readonly { channel: string; text: string }[];
  /** The time of each call for a post; `channel` also names the workspace. */
  postCalls: readonly { channel: string; at: number }[];
  /** The configured milliseconds between two posts in a channel. */
  gapMs: number;
  /** By how many milliseconds a call may be later than others on its way; by default a second. */
  onTheWayMs?: number;
  /** Whether chat delivered each event once, at once and in order: then the bridge keeps that order (B66). */
  isInOrder: boolean;
  /** Messages that need a retry by hand (B49), as `channel ts`. */
  undelivered: ReadonlySet<string>;
}

/** A channel with all of its messages, in order. */
export interface Place {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  messages: readonly SeenMessage[];
}

/** The state of the service, and changes that others than the bridge made. */
export interface TicketHistory {
  tickets: readonly RecordedTicket[];
  /** Channels that are linked to a queue. */
  linkedChannels: ReadonlySet<string>;
  /** Of each triage channel: its queue, and what the team's threads there show. */
  triages: ReadonlyMap<string, { queueId: string; shows: TeamThread }>;
  /** Queues whose tickets not everyone may read. */
  restrictedQueues: ReadonlySet<string>;
  /** Ids of ticket messages that others than the bridge edited, deleted, or changed the visibility of. */
  edited: ReadonlySet<string>;
  deleted: ReadonlySet<string>;
  visibilityChanged: ReadonlySet<string>;
  /** Ticket messages that need a retry by hand (B49). */
  undelivered: ReadonlySet<string>;
  /** Ticket messages that were posted by a retry by hand, after later ones (B49). */
  retried: ReadonlySet<string>;
}

export interface RecordedTicket {
  id: string;
  code: string;
  title: string | null;
  description: string | null;
  requesterId: string | null;
  queueId: string | null;
  private: boolean;
  chatThreads: readonly { channelId: string; messageTs: string; type: string | null; createdAt: string }[];
  /** In the order of the service's list, deleted ones too. */
  messages: readonly RecordedMessage[];
}

export interface RecordedMessage {
  id: string;
  authorId: string | null;
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
  kind:
    | 'lost'
    | 'doubled'
    | 'out of order'
    | 'different'
    | 'not deleted'
    | 'leaked'
    | 'recorded elsewhere'
    | 'too fast';
  /** The message, on the side where it was written. */
  of: string;
  what: string;
}

/**
 * Compares both sides when no work is left: every message crossed exactly once, per thread in order, with the same
 * text; deletions happened on both sides; nothing private is or was where others can read it; the ticket's record
 * names the right post of each answer; and no channel got posts above its rate limit.
 *
 * Exceptions, each with its rule:
 *  - ephemeral messages (B0a), and posts of the bridge other than ticket messages: cards, notices, answers (B16);
 *  - messages of other apps, which a setting of the bridge allows (B17), and system messages of Slack (B21);
 *  - a message in a thread without a ticket (B12) and in a channel without a queue (B7);
 *  - a message that is only a mention (B2, B6), a greeting (B8), or a command to the bot (B32);
 *  - the text of a ticket's description: its first message (B6), or the answer to the bot's question (B6), or a
 *    message that got its own ticket (B8);
 *  - a guest's mention, which a workspace may refuse to turn into a ticket (B9);
 *  - an edit or deletion at the desk of a message that a person wrote in chat: chat cannot follow (B13);
 *  - messages of a private ticket in a thread that others can read (B14);
 *  - messages written on a ticket before it had the thread (B1: earlier answers are history);
 *  - dead letters (B49); after a retry, a message may follow later ones;
 *  - the end of an edit that has become longer than its posts (B20).
 */
export function checkHistory(chat: ChatHistory, tickets: TicketHistory): Violation[] {
  const sides = new BothSides(chat, tickets);
  return [
    ...chat.places.flatMap((place) => [
      ...checkForwarded(sides, place),
      ...checkMirrored(sides, place),
      ...checkOrder(sides, place),
    ]),
    ...checkDeletions(sides),
    ...checkLeaks(sides),
    ...checkRecordedPosts(sides),
    ...checkRate(sides),
  ];
}

/**
 * What triage channels still show of tickets that only others may read. It holds once the bridge has seen the last change
 * of a ticket's readers, and is asked apart from `checkHistory`.
 */
export function checkReaders(chat: ChatHistory, tickets: TicketHistory): Violation[] {
  return checkTakenBack(new BothSides(chat, tickets));
}
