import { backoff } from '../backoff.ts';
import type { Timer } from '../timers.ts';
import { outsideSpans } from '../tracing.ts';
import { claimDue } from './claims.ts';
import type { Claimed, Ground, KeptSlot } from './ground.ts';
import { LaneRun } from './lane-run.ts';
import { untilNextDue } from './lanes.ts';
import type { EngineTables } from './tables.ts';

/** A process looks at least this often: a notification may be lost with its connection. */
const LOOK_EVERY_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/** Keeps the slots of one class busy: claims lanes that are due, and works them. */
export class ClassLoop<Tables extends EngineTables> {
  readonly #ground: Ground<Tables>;
  readonly #class: string;
  readonly #slots: number;
  readonly #onIdle: () => void;
  readonly #runs = new Map<LaneRun<Tables>, Promise<void>>();
  /** Lanes for which a slot is kept, and what resolves once it is used or given back. */
  readonly #kept = new Map<string, Promise<unknown>>();
  /** There may be due lanes that nobody has looked for since. */
  #isWoken = false;
  #isClaiming = false;
  /** The last look for due lanes. */
  #looking: Promise<void> = Promise.resolve();
  #isStopping = false;
  #failures = 0;
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(
    ground: Ground<Tables>,
    options: {
      class: string;
      slots: number;
      /** Called when it has nothing to do. */
      onIdle: () => void;
    },
  ) {
    this.#ground = ground;
    this.#class = options.class;
    this.#slots = options.slots;
    this.#onIdle = options.onIdle;
  }

  get runs(): readonly LaneRun<Tables>[] {
    return [...this.#runs.keys()];
  }

  get isIdle(): boolean {
    return this.#runs.size === 0 && this.#kept.size === 0 && !this.#isClaiming;
  }

  /** There may be due work. */
  wake(): void {
    this.#isWoken = true;
    // Who wakes it may be in a span of other work.
    if (!this.#isClaiming) this.#looking = outsideSpans(() => this.#look());
  }

  /**
   * Keeps a slot for a lane, so that who makes it due can claim it with the same commit.
   * @returns undefined if none is free, or if lanes that have been due for longer may need it.
   */
  keep(lane: string): KeptSlot | undefined {
    if (this.#isStopping || this.#isClaiming || this.#isWoken || this.#free <= 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#kept.set(lane, promise);
    const release = () => {
      this.#kept.delete(lane);
      resolve(undefined);
    };
    return {
      start: (claimed) => {
        // Who claims it may be in a span of other work.
        outsideSpans(() => this.#start(claimed));
        release();
      },
      giveBack: () => {
        release();
        this.#useFree();
      },
    };
  }

  /** Claims nothing more. Resolves when all lanes under way rest, also those that are just being claimed. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    for (const run of this.#runs.keys()) run.drain();
    await this.#looking;
    await Promise.all(this.#kept.values());
    await Promise.all(this.#runs.values());
  }

  async #look(): Promise<void> {
    this.#isClaiming = true;
    let nextInMs = LOOK_EVERY_MS;
    try {
      while (this.#isWoken && !this.#isStopping && this.#free > 0) {
        this.#isWoken = false;
        // Asked before the claim: what becomes due between the two is claimed, and nothing waits for the next look.
        nextInMs = (await untilNextDue(this.#ground.database.db, this.#class, this.#ground)) ?? LOOK_EVERY_MS;
        const limit = this.#free;
        const claimed = await this.#claim(limit);
        for (const one of claimed) this.#start(one);
        // All slots that were free are taken: there may be more that is due.
        if (claimed.length === limit) this.#isWoken = true;
      }
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      nextInMs = Math.min(LONGEST_PAUSE_MS, backoff(this.#failures, this.#ground.random));
      this.#ground.log.warn({ err: error, class: this.#class }, 'could not look for work; trying again');
      this.#isWoken = false;
    }
    this.#isClaiming = false;
    if (this.#isStopping) return;
    this.#wakeIn(Math.min(nextInMs, LOOK_EVERY_MS));
    if (this.#isWoken && this.#free > 0) this.wake();
    else if (this.isIdle) this.#onIdle();
  }

  get #free(): number {
    return this.#slots - this.#runs.size - this.#kept.size;
  }

  #claim(limit: number): Promise<Claimed[]> {
    const held = [...this.runs.map(({ claim }) => claim.lane), ...this.#kept.keys()];
    return claimDue(this.#ground.database, this.#ground, { class: this.#class, limit, held });
  }

  #start(claimed: Claimed): void {
    const run = new LaneRun(this.#ground, claimed);
    if (this.#isStopping) run.drain();
    this.#runs.set(run, this.#follow(run));
  }

  async #follow(run: LaneRun<Tables>): Promise<void> {
    let dueInMs: number | undefined;
    try {
      dueInMs = await run.run();
    } catch (error) {
      // The lane stays leased to this process, which may claim it again as soon as it is not held.
      this.#ground.log.warn(
        { err: error, lane: run.claim.lane },
        'the end of some work could not be recorded; it is looked at again',
      );
      await this.#pause();
      dueInMs = 0;
    }
    this.#runs.delete(run);
    if (this.#isStopping) return;
    if (dueInMs !== undefined && dueInMs <= 0) this.wake();
    else if (dueInMs !== undefined) this.#wakeIn(dueInMs);
    this.#useFree();
  }

  /** A slot has become free: looks for lanes that are due, if there may be any. */
  #useFree(): void {
    if (this.#isWoken && !this.#isStopping) this.wake();
    if (this.isIdle) this.#onIdle();
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    if (this.#isStopping) return Promise.resolve();
    this.#ground.timers.after(1_000, () => resolve(undefined));
    return promise;
  }

  /** Looks again after a time, if it would not sooner. */
  #wakeIn(ms: number): void {
    const at = this.#ground.timers.elapsed() + ms;
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#ground.timers.after(Math.ceil(ms), () => {
      this.#timerAt = Infinity;
      this.wake();
    });
  }
}
