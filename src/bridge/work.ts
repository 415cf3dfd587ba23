// What the bridge has to do, as work of the engine (docs/architecture.md, Engine): its classes, its lanes, and the kinds
// of work that more than one part adds.

import { z } from 'zod';

import {
  type Done as EngineDone,
  Engine,
  type Handler as EngineHandler,
  type NewWork,
  newWork,
  type NewWorkOptions,
  type PlanningTx,
  type Work as EngineWork,
  type WorkKind,
} from '../platform/engine/index.ts';
import type { BridgeTables } from './schema/tables.ts';

export type { NewWork, WorkKind };
export type BridgeEngine = Engine<BridgeTables>;
/** A transaction that plans work, too. */
export type BridgeTx = PlanningTx<BridgeTables>;
/** Effects, written in the transaction that ends the work. */
export type Write = (tx: BridgeTx) => Promise<void>;
export type Work<Body> = EngineWork<Body, BridgeTables>;
export type Done = EngineDone<BridgeTables>;
export type WorkHandler<Body> = EngineHandler<Body, BridgeTables>;

/** The classes of work: each has slots of its own in a process, so that nothing slow keeps what is quick waiting. */
export const CLASSES = {
  /** Conversations: the events of both sides, and what follows from them. */
  conversation: 'conversation',
  /** Commands and buttons, for whose answer a person waits. */
  command: 'command',
  /** Posts to Slack. */
  chat: 'chat',
  file: 'file',
  /** Several at once would keep the disk from every message. */
  largeFile: 'large-file',
  /** Checks of what people are to be notified of. */
  notice: 'notice',
  reminder: 'reminder',
  /** The sweep for messages that wait or failed. */
  statuses: 'statuses',
  /** Comparing both sides. */
  reconcile: 'reconcile',
} as const;

/** @param concurrency for what people wait for. */
export function slotsOf(concurrency: number): Record<string, number> {
  return {
    [CLASSES.conversation]: concurrency,
    [CLASSES.command]: concurrency,
    [CLASSES.chat]: concurrency,
    [CLASSES.file]: 4,
    [CLASSES.largeFile]: 1,
    [CLASSES.notice]: concurrency,
    [CLASSES.reminder]: 2,
    [CLASSES.statuses]: 1,
    [CLASSES.reconcile]: 3,
  };
}

/** Returns the lane of a class with this ordering key. */
export function laneOf(ofClass: string, key: string): string {
  return `${ofClass}:${key}`;
}

export function conversationLane(conversationId: string): string {
  return laneOf(CLASSES.conversation, conversationId);
}

/** Returns the ordering key of a lane. */
export function keyOfLane(lane: string): string {
  return lane.slice(lane.indexOf(':') + 1);
}

/** Returns work for the lane of its class with this ordering key. */
export function workFor<Body>(
  kind: WorkKind<Body>,
  key: string,
  body: Body,
  options: NewWorkOptions = {},
): NewWork {
  return newWork(kind, laneOf(kind.class, key), body, options);
}

/** A row of the inbox; `again` if work on it may have begun in another lane. */
export const EventBody = z.object({
  inbox: z.string(),
  again: z.literal(true).optional(),
});
export type EventBody = z.infer<typeof EventBody>;

/** An event that came in, in the lane of its conversation. */
export const EVENT: WorkKind<EventBody> = { name: 'event', class: CLASSES.conversation, body: EventBody };
/** An event for whose answer a person waits, in the lane of that person. */
export const PERSONAL_EVENT: WorkKind<EventBody> = {
  name: 'personal-event',
  class: CLASSES.command,
  body: EventBody,
};

const TicketBody = z.object({ ticket: z.string() });

/** A conversation, or a ticket without one, is compared with its ticket's record. */
export const MIRROR: WorkKind<z.infer<typeof TicketBody>> = {
  name: 'mirror',
  class: CLASSES.conversation,
  body: TicketBody,
};

/** What people are to be notified of about a ticket is checked. */
export const NOTIFY: WorkKind<z.infer<typeof TicketBody>> = {
  name: 'notify',
  class: CLASSES.notice,
  body: TicketBody,
};

const LinkBody = z.object({ link: z.string() });

/** A part of a ticket message was posted: its place is recorded in the service. */
export const POSTED: WorkKind<z.infer<typeof LinkBody>> = {
  name: 'posted',
  class: CLASSES.conversation,
  body: LinkBody,
};

const ConversationBody = z.object({
  conversation: z.string(),
  /** The place that it had before, where nothing ever stood. */
  replaces: z.string().optional(),
});

/** A conversation got a card: its place is recorded in the service. */
export const CARDED: WorkKind<z.infer<typeof ConversationBody>> = {
  name: 'carded',
  class: CLASSES.conversation,
  body: ConversationBody,
};

/** A conversation goes on in another thread, which is recorded in the service. */
export const MOVED: WorkKind<z.infer<typeof ConversationBody>> = {
  name: 'moved',
  class: CLASSES.conversation,
  body: ConversationBody,
};

const PostBody = z.object({ outbox: z.string() });

/** A planned post is sent. */
export const SEND: WorkKind<z.infer<typeof PostBody>> = { name: 'send', class: CLASSES.chat, body: PostBody };

/** What a creation at the service belongs to. */
export interface Attempt {
  /** False if an earlier attempt may have created the record. */
  readonly firstAttempt: boolean;
  readonly receivedAt: Date;
}

export function attemptOf({ isFirst, addedAt }: Pick<Work<unknown>, 'isFirst' | 'addedAt'>): Attempt {
  return { firstAttempt: isFirst, receivedAt: addedAt };
}
