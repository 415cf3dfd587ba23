// What the bridge has to do, as work of the engine (docs/architecture.md, Engine): its classes, its lanes, and the
// kinds of work that more than one part adds.

import { z } from 'zod';

import {
  type BodyOf,
  type Done as EngineDone,
  type Engine,
  type Handler as EngineHandler,
  laneOf,
  type NewWork,
  type PlanningTx,
  type Work as EngineWork,
  workFor,
  type WorkKind,
  workKind,
} from '../platform/engine/index.ts';
import type { BridgeTables } from './schema/tables.ts';

export { laneOf, workFor, workKind };
export type { BodyOf, NewWork, WorkKind };
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

export function conversationLane(conversationId: string): string {
  return laneOf(CLASSES.conversation, conversationId);
}

/** Returns the ordering key of a lane. */
export function keyOfLane(lane: string): string {
  return lane.slice(lane.indexOf(':') + 1);
}

/** A row of the inbox; `again` if work on it may have begun in another lane. */
const EventBody = z.object({ inbox: z.string(), again: z.literal(true).optional() });

/** An event that came in, in the lane of its conversation. */
export const EVENT = workKind('event', CLASSES.conversation, EventBody);
/** An event for whose answer a person waits, in the lane of that person. */
export const PERSONAL_EVENT = workKind('personal-event', CLASSES.command, EventBody);

const TicketBody = z.object({ ticket: z.string() });

/** A conversation, or a ticket without one, is compared with its ticket's record. */
export const MIRROR = workKind('mirror', CLASSES.conversation, TicketBody);

/** What people are to be notified of about a ticket is checked. */
export const NOTIFY = workKind('notify', CLASSES.notice, TicketBody);

/** A part of a ticket message was posted: its place is recorded in the service. */
export const POSTED = workKind('posted', CLASSES.conversation, z.object({ link: z.string() }));

/** A conversation got a card: its place is recorded in the service. */
export const CARDED = workKind('carded', CLASSES.conversation, z.object({ conversation: z.string() }));

/**
 * A conversation goes on in another thread, which is recorded in the service. `replaces` is the place that it had
 * before, where nothing ever stood.
 */
export const MOVED = workKind(
  'moved',
  CLASSES.conversation,
  z.object({ conversation: z.string(), replaces: z.string().optional() }),
);

const CopyBody = z.object({ copies: z.array(z.string()) });

/**
 * Files of a chat message are copied to their ticket. That takes its time: it has classes of its own, so that no message
 * waits for one, and no screenshot for a film.
 */
export const COPY = workKind('copy', CLASSES.file, CopyBody);
export const COPY_LARGE = workKind('copy-large', CLASSES.largeFile, CopyBody);

/** A planned post is sent. */
export const SEND = workKind('send', CLASSES.chat, z.object({ outbox: z.string() }));

/** What a creation at the service belongs to. */
export interface Attempt {
  /** False if an earlier attempt may have created the record. */
  readonly firstAttempt: boolean;
  readonly receivedAt: Date;
}

export function attemptOf({ isFirst, addedAt }: Pick<Work<unknown>, 'isFirst' | 'addedAt'>): Attempt {
  return { firstAttempt: isFirst, receivedAt: addedAt };
}
