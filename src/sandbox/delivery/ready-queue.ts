import type { Outgoing } from '../workspace/workspace.ts';

/** An envelope on its way to be delivered. */
export interface Item extends Outgoing {
  /** Deliveries tried so far; the next one carries it as `retry_attempt`. */
  attempt: number;
  reason: string;
  dueAt: number;
  /** When it was first to be delivered, in milliseconds. */
  since: number;
}

/** Envelopes that could be sent now, by app, oldest first. */
export class ReadyQueue {
  readonly #byApp = new Map<string, Item[]>();

  get size(): number {
    return [...this.#byApp.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Adds an envelope at the end: it is the newest. */
  add(items: readonly Item[]): void {
    for (const item of items) {
      const queue = this.#byApp.get(item.appId) ?? [];
      queue.push(item);
      this.#byApp.set(item.appId, queue);
    }
  }

  /** Inserts retried envelopes by age. */
  insert(items: readonly Item[]): void {
    this.add(items);
    for (const queue of this.#byApp.values()) queue.sort((a, b) => a.seq - b.seq);
  }

  /** Hands out from the oldest, app by app, until `take` refuses one. */
  drain(take: (item: Item) => boolean): void {
    for (const queue of this.#byApp.values()) {
      let taken = 0;
      for (const item of queue) {
        if (!take(item)) break;
        taken += 1;
      }
      queue.splice(0, taken);
    }
  }

  /** Removes those for which `is` returns true. */
  take(is: (item: Item) => boolean): Item[] {
    const taken: Item[] = [];
    for (const [appId, queue] of this.#byApp) {
      taken.push(...queue.filter(is));
      this.#byApp.set(
        appId,
        queue.filter((item) => !is(item)),
      );
    }
    return taken;
  }

  /** When the oldest was first to be delivered; undefined when there is none. */
  get oldest(): number | undefined {
    const times = [...this.#byApp.values()].flatMap(([first]) => (first ? [first.since] : []));
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  clear(): void {
    this.#byApp.clear();
  }
}

/** An envelope in the log. */
export function describe(item: Item): { delivery: number; event?: string; event_id?: string } {
  const { event_id, event } = item.body;
  const type =
    typeof event === 'object' && event !== null && 'type' in event ? event.type : item.body['type'];
  return {
    delivery: item.seq,
    ...(typeof type === 'string' ? { event: type } : {}),
    ...(typeof event_id === 'string' ? { event_id } : {}),
  };
}

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** An event is delivered, dropped, or dropped with a notice to the app (once a minute). */
export type Decision = 'deliver' | 'drop' | 'drop-and-report';

/**
 * How many events of a workspace an app has been sent in the last hour, counted by the minute
 * (docs.slack.dev/reference/events/app_rate_limited): sixty figures for each, however many events there are.
 */
export class EventBudget {
  #perHour: number;
  readonly #installations = new Map<string, { counts: Map<number, number>; notified: number | undefined }>();

  constructor(perHour: number) {
    this.#perHour = perHour;
  }

  /** From now on; what was sent within this hour counts. */
  allow(perHour: number): void {
    this.#perHour = perHour;
  }

  /** Counts one event of an app in a workspace (`installation` names both) at a time (Unix milliseconds). */
  spend(installation: string, now: number): Decision {
    const minute = Math.floor(now / MINUTE_MS);
    const app = this.#installations.get(installation) ?? {
      counts: new Map<number, number>(),
      notified: undefined,
    };
    this.#installations.set(installation, app);
    for (const past of app.counts.keys()) if (past <= minute - MINUTES) app.counts.delete(past);
    const spent = [...app.counts.values()].reduce((sum, count) => sum + count, 0);
    if (spent < this.#perHour) {
      app.counts.set(minute, (app.counts.get(minute) ?? 0) + 1);
      return 'deliver';
    }
    if (app.notified === minute) return 'drop';
    app.notified = minute;
    return 'drop-and-report';
  }

  clear(): void {
    this.#installations.clear();
  }
}
