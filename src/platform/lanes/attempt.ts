import { setTimeout as delay } from 'node:timers/promises';

import type { Log } from '../log.ts';
import { inSpan } from '../tracing.ts';
import { backoff as defaultBackoff } from './backoff.ts';
import { type Completed, completeJob, completeJobLast } from './complete-job.ts';
import { LeaseLost, Park, RetryLater } from './errors.ts';
import type { FetchedJob } from './fetch-jobs.ts';
import type { Job } from './job.ts';
import { finishJob, giveBackJob, isOver, parkJob, retryJob } from './settle-job.ts';
import type { Claim, Runner } from './statements.ts';
import { traceOf } from './trace.ts';

export interface WorkOptions<Payload> {
  queue: string;
  /** Jobs worked at the same time by this process. */
  concurrency: number;
  /** Milliseconds without a sign of life after which another worker takes the job over. Default 60,000. */
  leaseMs?: number;
  /** What becomes of the lane of a parked job: it moves on ('skip', the default) or waits for a person ('hold'). */
  afterPark?: 'skip' | 'hold';
  /** Checks a payload; throwing parks the job. */
  parse?: (payload: unknown) => Payload;
  /**
   * Resolves: the job is done. Throws RetryLater or Park: that. Throws anything else: tried again after `backoff`,
   * for as long as it takes. May run more than once for a job; effects in the transaction of `complete` happen once.
   */
  handle: (job: Job<Payload>) => Promise<void>;
  /** Milliseconds after `attempt` failed ones. Default: up to 1 s, 2 s, 4 s, … 60 s. */
  backoff?: (attempt: number, random: () => number) => number;
}

interface Surroundings {
  runner: Runner;
  log: Log;
  random: () => number;
}

const SETTLE_RETRY_CAP_MS = 2_000;

/** One try at a job: from its claim to what became of it. */
export class Attempt<Payload> implements Claim {
  readonly id: number;
  readonly queue: string;
  readonly key: string;
  readonly worker: string;
  readonly fence: number;
  readonly #fetched: FetchedJob;
  readonly #options: WorkOptions<Payload>;
  readonly #around: Surroundings;
  readonly #abort = new AbortController();
  /** On this process's own clock, and from before the claim was made: never later than what the database thinks. */
  #leaseEnds: number;
  /** What a transaction of the handler did to the job; it may have been undone since. */
  #completed: 'not' | Completed = 'not';
  #givingBack = false;

  constructor(fetched: FetchedJob, leaseEnds: number, options: WorkOptions<Payload>, around: Surroundings) {
    this.#fetched = fetched;
    this.#options = options;
    this.#around = around;
    this.#leaseEnds = leaseEnds;
    this.id = fetched.id;
    this.queue = fetched.queue;
    this.key = fetched.key;
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

  /** The grace at stop is over: asks the handler to end, and no longer counts what it throws as a failure. */
  giveUp(): void {
    this.#givingBack = true;
    this.#abort.abort(new Error('this process is stopping'));
  }

  async giveBack(): Promise<void> {
    await giveBackJob(this.#around.runner, this);
  }

  /** Never rejects. Resolves to whether its lane has moved on, so that workers were told of what follows it. */
  async run(): Promise<boolean> {
    try {
      if (!this.#fetched.done) await this.#traced();
      const moved = await this.#finish();
      this.#around.log.debug(this.#facts(), 'job done');
      return moved;
    } catch (error) {
      await this.#fail(error);
      return false;
    }
  }

  /** As a part of what the job follows from, where that is traced. */
  async #traced(): Promise<void> {
    const { payload, queue, attempt } = this.#fetched;
    const parent = traceOf(payload);
    if (parent === undefined) return this.#handle();
    const attributes = { 'messaging.destination.name': queue, 'deskbridge.attempt': attempt };
    await inSpan(`lane ${queue}`, { kind: 'consumer', parent, attributes }, () => this.#handle());
  }

  async #handle(): Promise<void> {
    const { parse, handle } = this.#options;
    const { id, queue, key, payload, attempt, enqueuedAt } = this.#fetched;
    await handle({
      id,
      queue,
      key,
      payload: parse ? this.#parse(parse, payload) : (payload as Payload),
      attempt,
      firstAttempt: this.fence === 1,
      enqueuedAt,
      signal: this.#abort.signal,
      complete: async (tx) => {
        this.#completed = 'marked';
        this.#completed = await completeJob(tx, this);
      },
      completeLast: async (tx) => {
        this.#completed = 'marked';
        this.#completed = await completeJobLast(tx, this);
      },
    });
  }

  /**
   * Takes the job away and moves its lane on, where its transaction did not. A handler that swallowed the failure of
   * that transaction has not done the job; where the lane was to move on with it, that shows when its lease runs out.
   */
  async #finish(): Promise<boolean> {
    if (this.#completed === 'moved') return true;
    if (this.#completed === 'not') return this.#settle((runner) => finishJob(runner, this));
    if (await this.#settle((runner) => finishJob(runner, this, 'done'))) return true;
    throw new Error('the transaction that completed the job was rolled back');
  }

  async #fail(error: unknown): Promise<void> {
    const { random, log } = this.#around;
    const { afterPark = 'skip', backoff = defaultBackoff } = this.#options;
    if (error instanceof LeaseLost || this.#abort.signal.reason instanceof LeaseLost) {
      log.warn(this.#facts(), 'a job was taken over by another worker');
      return;
    }
    // Its transaction may have been committed before whatever failed afterwards.
    if (this.#completed !== 'not' && (await this.#settle((runner) => isOver(runner, this)))) return;
    if (this.#givingBack) {
      await this.#settle((runner) => giveBackJob(runner, this));
      return;
    }
    const reason = describe(error);
    if (error instanceof Park) {
      log.error({ ...this.#facts(), err: error, afterPark }, 'job parked');
      await this.#settle((runner) => parkJob(runner, this, reason, afterPark === 'hold'));
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
      throw new Park(`its payload is not what ${this.queue} works on: ${describe(cause)}`, { cause });
    }
  }

  /**
   * Tells the database what became of the job, again and again while it is away and the lease lasts. `false`: the
   * claim no longer holds, or nobody could be told; then the lease runs out and the job is worked again.
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
            'the end of a job could not be recorded; it will be worked again',
          );
          return false;
        }
        await delay(Math.min(SETTLE_RETRY_CAP_MS, defaultBackoff(tries, random) / 4));
      }
    }
  }

  #facts() {
    return { job: this.id, queue: this.queue, key: this.key, attempt: this.#fetched.attempt };
  }
}

function describe(error: unknown): string {
  return error instanceof Error
    ? error.name === 'Error'
      ? error.message
      : `${error.name}: ${error.message}`
    : String(error);
}
