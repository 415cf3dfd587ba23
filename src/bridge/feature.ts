import type { ModalView } from '@slack/types';

import type { Bridge } from './bridge.ts';
import type { Hooks } from './hooks.ts';
import type { EventContext } from './inbox/event-context.ts';
import type { PostKind } from './outbox/post-kind.ts';
import type { ChatEvent, EventOf } from './slack/chat-event.ts';
import type { Done, Work, WorkKind } from './work.ts';

/** The handler of some or all events of one kind. */
interface Handler {
  kind: ChatEvent['kind'];
  /** Called with events of its kind only. */
  takes(event: ChatEvent): boolean;
  work(bridge: Bridge, ctx: EventContext<ChatEvent>): Promise<Done>;
}

/** @param takes which of the kind; all where it is absent. */
export function on<Kind extends ChatEvent['kind']>(
  kind: Kind,
  work: (bridge: Bridge, ctx: EventContext<EventOf<Kind>>) => Promise<Done>,
  takes: (event: EventOf<Kind>) => boolean = () => true,
): Handler {
  return {
    kind,
    takes: (event) => takes(event as EventOf<Kind>),
    work: (bridge, ctx) => work(bridge, ctx as EventContext<EventOf<Kind>>),
  };
}

/** How work of one kind is done. */
interface WorkDone {
  kind: WorkKind<unknown>;
  work: (bridge: Bridge, work: Work<unknown>) => Promise<Done>;
}

export function workOf<Body>(
  kind: WorkKind<Body>,
  work: (bridge: Bridge, work: Work<Body>) => Promise<Done>,
): WorkDone {
  // The engine reads the body by its kind before it calls this.
  return { kind, work: (bridge, stored) => work(bridge, stored as Work<Body>) };
}

interface FeatureSettings {
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
  works?: (settings: FeatureSettings) => readonly WorkDone[];
  /** Adds the work that begins with the bridge and then repeats itself, where it is not already planned. */
  begin?: (bridge: Bridge) => Promise<void>;
  /** The first that takes an event works it, in the order of `features/index.ts`. */
  handlers?: readonly Handler[];
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
