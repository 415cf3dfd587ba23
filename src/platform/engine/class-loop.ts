import { backoff } from '../backoff.ts';
import { transaction } from '../database/open.ts';
import type { Timer } from '../timers.ts';
import { outsideSpans } from '../tracing.ts';
import type { Ground } from './ground.ts';
import { LaneRun } from './lane-run.ts';
import { type Claim, claimLanes, restLane, untilNextDue } from './lanes.ts';
import { beginFirst, type StoredWork } from './pieces.ts';
import type { EngineTables } from './tables.ts';

/** A process looks at least this often: a notification may be lost with its connection. */
const LOOK_EVERY_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/** Keeps the slots of one class busy: claims lanes that are due, and works them. */
export class ClassLoop<Tables extends EngineTables> {
  readonly #ground: Ground<Tables>;
  readonly #class: string;
  readonly #slots: number;
  readonly #wakeClasses: (classes: readonly string[]) => void;
  readonly #onIdle: () => void;
  readonly #runs = new Map<LaneRun<Tables>, Promise<void>>();
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
      wakeClasses: (classes: readonly string[]) => void;
      /** Called when it has nothing to do. */
      onIdle: () => void;
    },
  ) {
    this.#ground = ground;
    this.#class = options.class;
    this.#slots = options.slots;
    this.#wakeClasses = options.wakeClasses;
    this.#onIdle = options.onIdle;
  }

  get runs(): readonly LaneRun<Tables>[] {
    return [...this.#runs.keys()];
  }

  get isIdle(): boolean {
    return this.#runs.size === 0 && !this.#isClaiming;
  }

  /** There may be due work. */
  wake(): void {
    this.#isWoken = true;
    // Who wakes it may be in a span of other work.
    if (!this.#isClaiming) this.#looking = outsideSpans(() => this.#look());
  }

  /** Claims nothing more. Resolves when all lanes under way rest, also those that are just being claimed. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    for (const run of this.#runs.keys()) run.drain();
    await this.#looking;
    await Promise.all(this.#runs.values());
  }

  async #look(): Promise<void> {
    this.#isClaiming = true;
    let nextInMs = LOOK_EVERY_MS;
    try {
      while (this.#isWoken && !this.#isStopping && this.#free > 0) {
        this.#isWoken = false;
        const limit = this.#free;
        const claimed = await this.#claim(limit);
        for (const one of claimed) this.#start(one);
        // All slots that were free are taken: there may be more that is due.
        if (claimed.length === limit) this.#isWoken = true;
      }
      if (!this.#isWoken)
        nextInMs = (await untilNextDue(this.#ground.database.db, this.#class, this.#ground)) ?? LOOK_EVERY_MS;
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
    return this.#slots - this.#runs.size;
  }

  /** Claims due lanes, each with its first piece begun. */
  async #claim(limit: number): Promise<{ claim: Claim; first: StoredWork }[]> {
    const { database, now, process, leaseMs } = this.#ground;
    const held = this.runs.map(({ claim }) => claim.lane);
    return transaction(database.db, async (tx) => {
      const claims = await claimLanes(tx, { now, process, class: this.#class, limit, held, leaseMs });
      if (claims.length === 0) return [];
      const lanes = claims.map(({ lane }) => lane);
      const begun = new Map((await beginFirst(tx, lanes, { now })).map((work) => [work.lane, work]));
      const claimed: { claim: Claim; first: StoredWork }[] = [];
      for (const claim of claims) {
        const first = begun.get(claim.lane);
        if (first) claimed.push({ claim, first });
        else await restLane(tx, claim.lane, { now, behind: false });
      }
      return claimed;
    });
  }

  #start({ claim, first }: { claim: Claim; first: StoredWork }): void {
    const run = new LaneRun(this.#ground, claim, first, this.#wakeClasses);
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
    if (this.#isWoken || (dueInMs !== undefined && dueInMs <= 0)) this.wake();
    else if (dueInMs !== undefined) this.#wakeIn(dueInMs);
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
