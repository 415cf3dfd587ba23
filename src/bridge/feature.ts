import type { Bridge } from './bridge.ts';
import type { Hooks } from './hooks.ts';
import type { PostKind } from './outbox/post-kind.ts';
import type { Done, Work, WorkKind } from './work.ts';

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

/** The registrations of a part of the bridge; its listeners of Slack's events are in `app.ts`. */
export interface Feature {
  posts?: readonly PostKind[];
  works?: (settings: FeatureSettings) => readonly WorkDone[];
  /** Adds the work that begins with the bridge and then repeats itself, where it is not already planned. */
  begin?: (bridge: Bridge) => Promise<void>;
  hooks?: (bridge: Bridge) => Partial<Hooks>;
}
