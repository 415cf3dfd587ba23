import type { Clock } from '../../platform/clock.ts';
import { LIMITS } from '../limits.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { ViewRefused } from './refused.ts';

/** What somebody did, which lets the app open something before them. */
export interface Occasion {
  appId: string;
  userId: string;
  /** The view it was done in. */
  viewId?: string | undefined;
  /** The conversation that was open then. */
  channelId?: string | undefined;
}

interface Trigger extends Occasion {
  at: number;
  used: boolean;
}

/** Used or expired triggers that are remembered, so that they are told from invented ones. */
const REMEMBERED = 1_000;

/**
 * The trigger ids of interactions: good once, for three seconds
 * (docs.slack.dev/interactivity/handling-user-interaction, "Modal responses").
 */
export class Triggers {
  readonly #clock: Clock;
  readonly #ids: IdMaker;
  /** Oldest first. */
  readonly #known = new Map<string, Trigger>();

  constructor(parts: { clock: Clock; ids: IdMaker }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  issue(occasion: Occasion): string {
    const id = this.#ids.triggerId();
    this.#known.set(id, { ...occasion, at: this.#clock.now().getTime(), used: false });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(oldest);
    }
    return id;
  }

  /** Uses a trigger up; refuses with `invalid_trigger_id`, `expired_trigger_id` or `exchanged_trigger_id`. */
  exchange(id: string, appId: string): Occasion {
    const trigger = this.#known.get(id);
    if (trigger?.appId !== appId) throw new ViewRefused('invalid_trigger_id');
    if (trigger.used) throw new ViewRefused('exchanged_trigger_id');
    if (this.#clock.now().getTime() - trigger.at >= LIMITS.triggerMs)
      throw new ViewRefused('expired_trigger_id');
    trigger.used = true;
    return trigger;
  }
}
