const MINUTE_MS = 60_000;
const MINUTES = 60;

/** What becomes of an event: delivered; left out; left out, and the app is to be told (once a minute). */
export type Verdict = 'deliver' | 'leave-out' | 'leave-out-and-tell';

/**
 * How many events of a workspace an app has been sent in the last hour, counted by the minute
 * (docs.slack.dev/reference/events/app_rate_limited): sixty figures for each, however many events there are.
 */
export class EventBudget {
  #perHour: number;
  readonly #installations = new Map<string, { counts: Map<number, number>; told: number | undefined }>();

  constructor(perHour: number) {
    this.#perHour = perHour;
  }

  /** From now on; what was sent within this hour counts. */
  allow(perHour: number): void {
    this.#perHour = perHour;
  }

  /** Counts one event of an app in a workspace (`installation` names both) at a time (Unix milliseconds). */
  spend(installation: string, now: number): Verdict {
    const minute = Math.floor(now / MINUTE_MS);
    const app = this.#installations.get(installation) ?? {
      counts: new Map<number, number>(),
      told: undefined,
    };
    this.#installations.set(installation, app);
    for (const past of app.counts.keys()) if (past <= minute - MINUTES) app.counts.delete(past);
    const spent = [...app.counts.values()].reduce((sum, count) => sum + count, 0);
    if (spent < this.#perHour) {
      app.counts.set(minute, (app.counts.get(minute) ?? 0) + 1);
      return 'deliver';
    }
    if (app.told === minute) return 'leave-out';
    app.told = minute;
    return 'leave-out-and-tell';
  }

  clear(): void {
    this.#installations.clear();
  }
}
