import { z } from 'zod';

/** A misbehaviour of the platform, asked for on purpose. */
export const fault = z.object({
  /** A Web API method, or `*` for all. */
  method: z.string().min(1),
  /**
   * `answer_lost`: the work is done, then the connection is cut. `cut`: cut before anything is done.
   * `rate_limited`: HTTP 429 with `Retry-After`. `error`: `{ok: false, error}`. `http_500`: an HTML page.
   */
  kind: z.enum(['answer_lost', 'cut', 'rate_limited', 'error', 'http_500']),
  /** How many calls it hits. */
  times: z.int().min(1).default(1),
  /** Calls to let through first. */
  after: z.int().min(0).default(0),
  /** Only calls for this channel (its id, as the call has it). */
  channel: z.string().optional(),
  /** Seconds in `Retry-After`. */
  retryAfter: z.int().min(0).default(1),
  error: z.string().default('internal_error'),
});

export type FaultRequest = z.input<typeof fault>;
export type Fault = z.output<typeof fault>;

/** The faults that are switched on, used up one call at a time. */
export class Faults {
  #faults: Fault[] = [];

  add(requests: readonly FaultRequest[]): void {
    this.#faults.push(...requests.map((request) => fault.parse(request)));
  }

  clear(): void {
    this.#faults = [];
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  /** The fault that hits this call, if one does. */
  take(method: string, args: Record<string, unknown>): Fault | undefined {
    for (const candidate of this.#faults) {
      if (candidate.method !== '*' && candidate.method !== method) continue;
      if (candidate.channel !== undefined && candidate.channel !== args['channel']) continue;
      if (candidate.after > 0) {
        candidate.after -= 1;
        continue;
      }
      candidate.times -= 1;
      if (candidate.times === 0) this.#faults = this.#faults.filter((other) => other !== candidate);
      return { ...candidate };
    }
    return undefined;
  }
}
