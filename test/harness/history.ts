import type { SeenMessage } from './chat.ts';
import { deletions, leaks } from './history-gone.ts';
import { orderOf, tooFast } from './history-order.ts';
import { BothSides } from './history-sides.ts';
import { recordedElsewhere, whatTicketsSay } from './history-to-chat.ts';
import { whatPeopleSaid } from './history-to-ticket.ts';

/** What chat holds, and what was said there. */
export interface ChatHistory {
  /** User ids and bot ids of the app, in every workspace. */
  own: ReadonlySet<string>;
  people: readonly { id: string; names: readonly string[]; isBot: boolean; isGuest: boolean }[];
  places: readonly Place[];
  /** Everything that the app posted or changed a post to, also what does not stand any more. */
  said: readonly { channel: string; words: string }[];
  /** When the app asked chat for each post, as `Date` counts; `channel` names the workspace too. */
  posted: readonly { channel: string; at: number }[];
  /** Milliseconds between two posts that the bridge was told to keep in a channel. */
  gapMs: number;
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
  kind:
    | 'lost'
    | 'doubled'
    | 'out of order'
    | 'different'
    | 'not deleted'
    | 'leaked'
    | 'recorded elsewhere'
    | 'too fast';
  /** Which message, on the side where it was written. */
  of: string;
  what: string;
}

/**
 * Compares what was said on both sides when all is quiet: every message crossed exactly once, per thread in order, with
 * the same words; what was deleted is deleted on both sides; nothing private stands, or ever stood, where others read; the
 * ticket's record says where each answer stands; and no channel got posts faster than chat allows.
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
  const sides = new BothSides(chat, tickets);
  return [
    ...chat.places.flatMap((place) => [
      ...whatPeopleSaid(sides, place),
      ...whatTicketsSay(sides, place),
      ...orderOf(sides, place),
    ]),
    ...deletions(sides),
    ...leaks(sides),
    ...recordedElsewhere(sides),
    ...tooFast(sides),
  ];
}
