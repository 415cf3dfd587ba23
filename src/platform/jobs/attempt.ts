import { setTimeout as delay } from 'node:timers/promises';

import type { Log } from '../log.ts';
import { inSpan } from '../tracing.ts';
import { backoff as defaultBackoff } from '../backoff.ts';
import { type Completed, completeJob, completeJobLast, completeJobWith } from './complete-job.ts';
import { LeaseLost, DeadLetter, RetryLater } from './errors.ts';
import type { FetchedJob } from './fetch-jobs.ts';
import type { Job } from './job.ts';
import { finishJob, giveBackJob, isOver, markDead, retryJob } from './settle-job.ts';
import type { Claim, Ending, Runner } from './statements.ts';
import { traceOf } from './trace.ts';

export interface WorkOptions<Payload> {
  queue: string;
  /** Jobs that this process runs at the same time. */
  concurrency: number;
  /**
   * Jobs at the same time when the worker starts; when ten have ended there may be one more, up to `concurrency`. Code is
   * slow at first, and many jobs at once would keep everything else from the event loop. Default `concurrency`.
   */
  startsWith?: number;
  /** Milliseconds without a renewal after which another worker takes over the job. Default 60,000. */
  leaseMs?: number;
  /**
   * What happens to later jobs with the same ordering key when a job becomes a dead letter: they run ('skip', the
   * default) or wait for an operator ('hold').
   */
  onDeadLetter?: 'skip' | 'hold';
  /** Parses a payload; if it throws, the job becomes a dead letter. */
  parse?: (payload: unknown) => Payload;
  /**
   * Runs the job. If it resolves, the job is done; RetryLater and DeadLetter do what they say; any other error is retried
   * after `backoff`, without a limit. May run more than once per job; effects in the transaction of `complete` happen
   * once.
   */
  handle: (job: Job<Payload>) => Promise<void>;
  /** Milliseconds to wait after `attempt` failed attempts. Default: up to 1 s, 2 s, 4 s, … 60 s. */
  backoff?: (attempt: number, random: () => number) => number;
}

export interface Surroundings {
  runner: Runner;
  log: Log;
  random: () => number;
  /** Whether the worker takes more jobs. */
  takesMore: () => boolean;
}

/** A claim of this process, which ends at `leaseEnds` on its own clock unless it is renewed. */
export interface Taken {
  job: FetchedJob;
  leaseEnds: number;
  /** How many jobs of its ordering key this worker has run before it, each after the other. */
  streak: number;
}

/** How an attempt ended. */
export interface Ended {
  /** Whether the next job of the ordering key was promoted, and so workers were notified of it. */
  moved: boolean;
  /** The next job of the ordering key, claimed with the end of this one. */
  next: Taken | undefined;
  /** The answer to the statement that was to claim the next job was lost: it may hold that claim. */
  unsure: boolean;
}

/** After so many jobs of one ordering key it is the turn of others that wait. */
const LONGEST_STREAK = 20;

const SETTLE_RETRY_CAP_MS = 2_000;

/** One attempt at a job, from its claim to its outcome. */
export class Attempt<Payload> implements Claim {
  readonly id: number;
  readonly queue: string;
  readonly orderingKey: string;
  readonly worker: string;
  readonly fence: number;
  readonly #fetched: FetchedJob;
  readonly #options: WorkOptions<Payload>;
  readonly #around: Surroundings;
  readonly #abort = new AbortController();
  readonly #leaseMs: number;
  readonly #streak: number;
  /** On this process's own clock, and from before the claim was made: never later than the database's value. */
  #leaseEnds: number;
  /** What a transaction of the handler did to the job; it may have been rolled back since. */
  #completed: 'not' | 'promoted' | 'marked' = 'not';
  #next: Taken | undefined;
  #unsure = false;
  #givingBack = false;

  constructor(
    { job: fetched, leaseEnds, streak }: Taken,
    leaseMs: number,
    options: WorkOptions<Payload>,
    around: Surroundings,
  ) {
    this.#fetched = fetched;
    this.#options = options;
    this.#around = around;
    this.#leaseMs = leaseMs;
    this.#leaseEnds = leaseEnds;
    this.#streak = streak;
    this.id = fetched.id;
    this.queue = fetched.queue;
    this.orderingKey = fetched.orderingKey;
    this.worker = fetched.worker;
    this.fence = fetched.fence;
  }

  get leaseEnds(): number {
    return this.#leaseEnds;
  }

  renewed(leaseEnds: number): void {
    this.#leaseEnds = leaseEnds;
  }

  loseLease(): void {
    this.#abort.abort(new LeaseLost(this.id));
  }

  /** The grace period at stop is over: asks the handler to end and no longer counts its errors as failures. */
  giveUp(): void {
    this.#givingBack = true;
    this.#abort.abort(new Error('this process is stopping'));
  }

  async giveBack(): Promise<void> {
    await giveBackJob(this.#around.runner, this);
  }

  /** Runs the attempt; never rejects. */
  async run(): Promise<Ended> {
    let moved = false;
    try {
      if (!this.#fetched.done) await this.#traced();
      moved = await this.#finish();
      this.#around.log.debug(this.#facts(), 'job done');
    } catch (error) {
      await this.#fail(error);
    }
    return { moved, next: this.#next, unsure: this.#unsure };
  }

  /** Runs the handler within the trace that the job belongs to, if it has one. */
  async #traced(): Promise<void> {
    const { payload, queue, attempt } = this.#fetched;
    const parent = traceOf(payload);
    if (parent === undefined) return this.#handle();
    const attributes = { 'messaging.destination.name': queue, 'deskbridge.attempt': attempt };
    await inSpan(`job ${queue}`, { kind: 'consumer', parent, attributes }, () => this.#handle());
  }

  async #handle(): Promise<void> {
    const { parse, handle } = this.#options;
    const { id, queue, orderingKey, payload, attempt, enqueuedAt, prefetched } = this.#fetched;
    await handle({
      id,
      queue,
      orderingKey,
      payload: parse ? this.#parse(parse, payload) : (payload as Payload),
      attempt,
      firstAttempt: this.fence === 1,
      followsAnother: this.#streak > 0,
      enqueuedAt,
      prefetched,
      signal: this.#abort.signal,
      complete: async (tx) => {
        this.#completed = 'marked';
        this.#completed = await completeJob(tx, this);
      },
      completeLast: async (tx) => {
        this.#completed = 'marked';
        this.#completed = await completeJobLast(tx, this);
      },
      completeWith: (statement) => this.#completeWith(statement),
    });
  }

  async #completeWith(statement: (ending: Ending) => Promise<Completed | undefined>): Promise<boolean> {
    const { id, queue, orderingKey, worker, fence } = this;
    const takesNext = this.#streak < LONGEST_STREAK && this.#around.takesMore();
    const leaseEnds = performance.now() + this.#leaseMs;
    this.#completed = 'marked';
    this.#unsure = takesNext;
    const completed = await completeJobWith(
      { id, queue, orderingKey, worker, fence, nextLeaseMs: takesNext ? this.#leaseMs : null },
      statement,
    );
    this.#unsure = false;
    if (typeof completed === 'object') {
      this.#completed = 'promoted';
      this.#next = { job: completed, leaseEnds, streak: this.#streak + 1 };
    } else this.#completed = completed ?? 'not';
    return completed !== undefined;
  }

  /**
   * Removes the job and promotes the next one of its ordering key, unless the handler's transaction did. A handler that
   * swallowed the failure of that transaction has not done the job; if the transaction was to promote the next job,
   * that shows when the lease runs out.
   */
  async #finish(): Promise<boolean> {
    if (this.#completed === 'promoted') return true;
    if (this.#completed === 'not') return this.#settle((runner) => finishJob(runner, this));
    if (await this.#settle((runner) => finishJob(runner, this, 'done'))) return true;
    throw new Error('the transaction that completed the job was rolled back');
  }

  async #fail(error: unknown): Promise<void> {
    const { random, log } = this.#around;
    const { onDeadLetter = 'skip', backoff = defaultBackoff } = this.#options;
    if (error instanceof LeaseLost || this.#abort.signal.reason instanceof LeaseLost) {
      log.warn(this.#facts(), 'another worker took over a job');
      return;
    }
    // Its transaction may have been committed before the failure.
    if (this.#completed !== 'not' && (await this.#settle((runner) => isOver(runner, this)))) return;
    if (this.#givingBack) {
      await this.#settle((runner) => giveBackJob(runner, this));
      return;
    }
    const reason = describe(error);
    if (error instanceof DeadLetter) {
      log.error({ ...this.#facts(), err: error, onDeadLetter }, 'job became a dead letter');
      const { code } = error;
      const hold = onDeadLetter === 'hold';
      await this.#settle((runner) => markDead(runner, this, { reason, code, hold }));
      return;
    }
    const later = error instanceof RetryLater ? error : undefined;
    const countAttempt = later?.countAttempt ?? true;
    const afterMs = later?.afterMs ?? backoff(this.#fetched.attempt, random);
    log[countAttempt ? 'warn' : 'debug'](
      { ...this.#facts(), err: error, retryInMs: Math.round(afterMs) },
      'job failed',
    );
    await this.#settle((runner) => retryJob(runner, this, { reason, afterMs, countAttempt }));
  }

  #parse(parse: (payload: unknown) => Payload, payload: unknown): Payload {
    try {
      return parse(payload);
    } catch (cause) {
      throw new DeadLetter(`invalid payload for ${this.queue}: ${describe(cause)}`, { cause });
    }
  }

  /**
   * Records the job's outcome in the database, and retries while the database is unavailable and the lease lasts.
   * `false`: the claim no longer holds, or the outcome could not be recorded; then the lease runs out and the job runs
   * again.
   */
  async #settle(tell: (runner: Runner) => Promise<boolean>): Promise<boolean> {
    const { runner, log, random } = this.#around;
    for (let tries = 1; ; tries++) {
      try {
        return await tell(runner);
      } catch (error) {
        if (this.#givingBack || performance.now() >= this.#leaseEnds) {
          log.warn(
            { ...this.#facts(), err: error },
            'the outcome of a job could not be recorded; it will run again',
          );
          return false;
        }
        await delay(Math.min(SETTLE_RETRY_CAP_MS, defaultBackoff(tries, random) / 4));
      }
    }
  }

  #facts() {
    return { job: this.id, queue: this.queue, orderingKey: this.orderingKey, attempt: this.#fetched.attempt };
  }
}

function describe(error: unknown): string {
  return error instanceof Error
    ? error.name === 'Error'
      ? error.message
      : `${error.name}: ${error.message}`
    : String(error);
}
