import type { Bridge } from './bridge.ts';
import type { Hooks } from './hooks.ts';
import type { PostKind } from './outbox/post-kind.ts';
import type { Done, NewWork, Work, WorkKind } from './work.ts';

/** How work of one kind is done. */
interface WorkDone {
  kind: WorkKind<unknown>;
  work: (bridge: Bridge, work: Work<unknown>) => Promise<Done>;
  /** What follows if it is given up; absent for work that is done once. */
  next?: (bridge: Bridge, body: unknown) => NewWork | undefined;
}

export function workOf<Body>(
  kind: WorkKind<Body>,
  work: (bridge: Bridge, work: Work<Body>) => Promise<Done>,
): WorkDone {
  // The engine reads the body by its kind before it calls this.
  return { kind, work: (bridge, stored) => work(bridge, stored as Work<Body>) };
}

/**
 * How a round is done: work whose end plans the next one.
 * @param next returns that next one at its usual time: it is also planned if this one is given up, or it would never
 * come.
 */
export function roundOf<Body>(
  kind: WorkKind<Body>,
  work: (bridge: Bridge, work: Work<Body>) => Promise<Done>,
  next: (bridge: Bridge, body: Body) => NewWork,
): WorkDone {
  return { ...workOf(kind, work), next: (bridge, body) => next(bridge, body as Body) };
}

/** How a check is done: it compares records, so whatever asks for the next one has it do what this one has not done. */
export function checkOf<Body>(
  kind: WorkKind<Body>,
  work: (bridge: Bridge, work: Work<Body>) => Promise<Done>,
): WorkDone {
  return { ...workOf(kind, work), next: () => undefined };
}

interface FeatureSettings {
  /** Milliseconds after which a message that waits for the service is marked. */
  markAfterMs: number;
}

/** The registrations of a part of the bridge; its listeners of Slack's events are in `app.ts`. */
export interface Feature {
  posts?: readonly PostKind[];
  works?: (settings: FeatureSettings) => readonly WorkDone[];
  /** Adds the rounds that begin with the bridge (`roundOf`), where they are not already planned. */
  begin?: (bridge: Bridge) => Promise<void>;
  hooks?: (bridge: Bridge) => Partial<Hooks>;
}
