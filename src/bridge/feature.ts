import type { ModalView } from '@slack/types';
import type { z } from 'zod';

import type { Job } from '../platform/jobs/index.ts';
import type { Bridge } from './bridge.ts';
import type { Hooks } from './hooks.ts';
import type { EventContext } from './inbox/event-context.ts';
import type { PostKind } from './outbox/post-kind.ts';
import type { ChatEvent, EventOf } from './slack/chat-event.ts';

/** The handler of some or all events of one kind. */
interface Handler {
  kind: ChatEvent['kind'];
  /** Called with events of its kind only. */
  takes(event: ChatEvent): boolean;
  work(bridge: Bridge, ctx: EventContext<ChatEvent>): Promise<void>;
}

/** @param takes which of the kind; all where it is absent. */
export function on<Kind extends ChatEvent['kind']>(
  kind: Kind,
  work: (bridge: Bridge, ctx: EventContext<EventOf<Kind>>) => Promise<void>,
  takes: (event: EventOf<Kind>) => boolean = () => true,
): Handler {
  return {
    kind,
    takes: (event) => takes(event as EventOf<Kind>),
    work: (bridge, ctx) => work(bridge, ctx as EventContext<EventOf<Kind>>),
  };
}

/** A job with a conversation's ordering key; a field of its payload tells which kind it is. */
interface JobKind {
  field: string;
  work(bridge: Bridge, job: Job<unknown>): Promise<void>;
}

export function jobKind<Schema extends z.ZodType>(
  field: string,
  payload: Schema,
  work: (bridge: Bridge, job: Job<unknown>, payload: z.output<Schema>) => Promise<void>,
): JobKind {
  return { field, work: (bridge, job) => work(bridge, job, payload.parse(job.payload)) };
}

interface Queue {
  queue: string;
  concurrency: number;
  handle: (job: Job<unknown>) => Promise<void>;
  /** Puts what it begins with into it, where it is not already. */
  begin?: () => Promise<void>;
}

interface FeatureSettings {
  concurrency: number;
  /** Milliseconds after which a message that waits for the service is marked. */
  markAfterMs: number;
}

/** The body of the acknowledgement; undefined if it has none. */
export interface AnswerAtOnce {
  says: Record<string, unknown> | undefined;
}

/** The registrations of a part of the bridge: the core calls it only by these. */
export interface Feature {
  posts?: readonly PostKind[];
  jobs?: readonly JobKind[];
  /** The first that takes an event works it, in the order of `features/index.ts`. */
  handlers?: readonly Handler[];
  queues?: (bridge: Bridge, settings: FeatureSettings) => readonly Queue[];
  /** The window that an event opens, within the request that brought it: its trigger lives for three seconds. */
  window?: (bridge: Bridge, event: ChatEvent) => Promise<ModalView | undefined>;
  /** The immediate answer to the request; undefined for events that are stored and handled later. */
  answer?: (
    bridge: Bridge,
    event: ChatEvent | undefined,
    body: unknown,
  ) => AnswerAtOnce | Promise<AnswerAtOnce> | undefined;
  hooks?: (bridge: Bridge) => Partial<Hooks>;
}
