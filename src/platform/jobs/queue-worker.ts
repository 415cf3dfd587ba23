import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import { Attempt, type Ended, type Surroundings, type Taken, type WorkOptions } from './attempt.ts';
import { backoff } from '../backoff.ts';
import { type ClaimedRow, fetchedJob, fetchJobs } from './fetch-jobs.ts';
import type { ClaimingWorker } from './new-claims.ts';
import { renewLeases } from './renew-leases.ts';
import { freeUnknown } from './rescue.ts';
import type { Runner } from './statements.ts';

/** A worker polls at least this often: a notification may be lost with its connection. */
const LOOK_EVERY_MS = 5_000;
const FETCH_RETRY_CAP_MS = 5_000;
const DEFAULT_LEASE_MS = 60_000;
/** See `WorkOptions.startsWith`. */
const ENDED_FOR_ONE_MORE = 10;

export interface QueueWorkerOptions {
  worker: string;
  log: Log;
  random: () => number;
  /** For fetching and finishing. */
  runner: Runner;
  /** For statements that must not wait for the handlers' own use of the pool. */
  renewer: Runner;
  /** Whether notifications of new work are received at the moment. */
  hears: () => boolean;
  /** Called when nothing runs and nothing else was due. */
  onIdle: () => void;
}

/** The worker of a queue, whatever its payloads are. */
export interface QueueWorking extends ClaimingWorker {
  readonly queue: string;
  /** Whether it is looking for work at the moment. */
  readonly isFetching: boolean;
  /** There is work, after `delayMs`. */
  wake(delayMs?: number): void;
  /** There may be work; resolves when it has been fetched, or when that is left to a fetch or job under way. */
  look(): Promise<void>;
  /** Takes no more work; resolves when all running jobs have finished. */
  drain(): Promise<void>;
  /** Asks running jobs to end, and releases those that do not within `ms`. */
  giveUp(ms: number): Promise<void>;
}

/**
 * Works one queue: keeps up to `concurrency` jobs running, renews their leases, and fetches more when there may be
 * some.
 */
export class QueueWorker<Payload> implements QueueWorking {
  readonly queue: string;
  readonly #work: WorkOptions<Payload>;
  readonly leaseMs: number;
  readonly #options: QueueWorkerOptions;
  readonly #around: Surroundings;
  readonly #running = new Map<Attempt<Payload>, Promise<void>>();
  /** Jobs that have ended. */
  #count = 0;
  #fetching = false;
  /** Places kept for jobs that statements under way may claim. */
  #reserved = 0;
  /** The last fetch was full, or there was no place for what it was woken for: there may be more. */
  #leftSome = false;
  #wakes = 0;
  #failures = 0;
  /** Statements whose answer was lost: the database may hold claims of this worker that it does not know of. */
  #losses = 0;
  /** How many of them are made good. */
  #madeGood = 0;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, and when the next delayed job is due, on this process's clock. */
  #timerAt = Infinity;
  #dueAt = Infinity;
  #renewal: NodeJS.Timeout | undefined;

  constructor(work: WorkOptions<Payload>, options: QueueWorkerOptions) {
    this.queue = work.queue;
    this.#work = work;
    this.leaseMs = work.leaseMs ?? DEFAULT_LEASE_MS;
    this.#options = options;
    this.#around = { ...options, takesMore: () => !this.#stopping };
  }

  get isFetching(): boolean {
    return this.#fetching;
  }

  wake(delayMs = 0): void {
    if (this.#stopping) return;
    if (delayMs > 0) {
      this.#dueAt = Math.min(this.#dueAt, performance.now() + delayMs);
      if (!this.#fetching && this.#dueAt < this.#timerAt) this.#wakeAt(this.#dueAt);
      return;
    }
    void this.look();
  }

  async look(): Promise<void> {
    if (this.#stopping) return;
    this.#wakes++;
    if (this.#fetching) return;
    if (this.#free > 0) await this.#fetch();
    else this.#leftSome = true;
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.wake(), Math.max(0, Math.ceil(at - performance.now())));
  }

  /** How many more jobs it may run. */
  get #free(): number {
    const { concurrency, startsWith = concurrency } = this.#work;
    const atOnce = Math.min(concurrency, startsWith + Math.floor(this.#count / ENDED_FOR_ONE_MORE));
    return atOnce - this.#running.size - this.#reserved;
  }

  reserve(atMost: number): number {
    // Unknown claims are freed first: a claim that is just being made could be taken for one of them. A fetch under way
    // is not waited for, though both together may bring more jobs than there are places.
    if (this.#stopping || this.#hasUnknown) return 0;
    const slots = Math.max(0, Math.min(atMost, this.#free));
    this.#reserved += slots;
    return slots;
  }

  receive(slots: number, jobs: readonly ClaimedRow[] | undefined, leaseEnds: number): void {
    this.#reserved -= slots;
    if (!jobs) this.#losses++;
    for (const row of jobs ?? [])
      this.#run({ job: fetchedJob(row, this.#options.worker), leaseEnds, streak: 0 });
    if (this.#leftSome || this.#hasUnknown) this.wake();
  }

  async #fetch(): Promise<void> {
    const { runner, worker } = this.#options;
    this.#fetching = true;
    const wakes = this.#wakes;
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
    const limit = this.#free;
    const leaseEnds = performance.now() + this.leaseMs;
    let waitMs = LOOK_EVERY_MS;
    let found = 0;
    try {
      const { jobs, nextInMs } = await fetchJobs(runner, {
        queue: this.queue,
        limit,
        worker,
        leaseMs: this.leaseMs,
      });
      this.#recovered();
      found = jobs.length;
      this.#leftSome = found >= limit;
      for (const job of jobs) this.#start({ job, leaseEnds, streak: 0 });
      if (this.#hasUnknown && this.#reserved === 0) found += await this.#freeUnknown();
      waitMs = Math.min(LOOK_EVERY_MS, nextInMs ?? LOOK_EVERY_MS);
    } catch (error) {
      waitMs = this.#failed(error);
    }
    this.#fetching = false;
    if (this.#stopping) return;
    this.#wakeAt(Math.min(performance.now() + waitMs, this.#dueAt));
    // Woken meanwhile: the new job may have been committed just after this fetch.
    if (this.#wakes !== wakes) this.wake();
    else if (found === 0 && this.#running.size === 0) this.#options.onIdle();
  }

  get #hasUnknown(): boolean {
    return this.#losses > this.#madeGood;
  }

  /**
   * Nothing is being fetched or claimed meanwhile, so a claim with this worker's name belongs to no one if no job of its
   * ordering key runs here; one that runs may just be taking the next one.
   */
  async #freeUnknown(): Promise<number> {
    const { runner, worker } = this.#options;
    const running = [...this.#running.keys()].map(({ orderingKey }) => orderingKey);
    const losses = this.#losses;
    const freed = await freeUnknown(runner, this.queue, worker, running);
    this.#madeGood = losses;
    if (freed > 0) this.#wakes++;
    return freed;
  }

  /** Runs a job that was claimed by another statement than a fetch, or gives it back when stopping. */
  #run(taken: Taken): void {
    if (!this.#stopping) {
      this.#start(taken);
      return;
    }
    const attempt = this.#attempt(taken);
    // If this fails, other workers take the job over once this process has ended.
    const given = attempt.giveBack().catch(() => undefined);
    this.#running.set(
      attempt,
      given.finally(() => this.#running.delete(attempt)),
    );
  }

  #start(taken: Taken): void {
    const attempt = this.#attempt(taken);
    const done = attempt.run().then(async (ended) => {
      this.#running.delete(attempt);
      await this.#ended(ended);
    });
    this.#running.set(attempt, done);
    this.#renewal ??= setTimeout(() => void this.#renew(), this.leaseMs / 3);
  }

  #attempt(taken: Taken): Attempt<Payload> {
    return new Attempt(taken, this.leaseMs, this.#work, this.#around);
  }

  /**
   * Fetches again only if there may be something: if the next job of the key was promoted, workers are notified of it.
   * That saves half of all fetches, the most expensive statement.
   */
  async #ended({ moved, next, unsure }: Ended): Promise<void> {
    if (unsure) this.#losses++;
    this.#count++;
    if (next) {
      this.#run(next);
      if (this.#leftSome && this.#free > 0) this.wake();
    } else if (!moved || this.#leftSome || !this.#options.hears()) this.wake();
    else if (this.#running.size === 0 && !this.#fetching && !this.#stopping) this.#options.onIdle();
  }

  async #renew(): Promise<void> {
    const { renewer, runner, log } = this.#options;
    const claims = [...this.#running.keys()];
    const leaseEnds = performance.now() + this.leaseMs;
    let nextMs = this.leaseMs / 3;
    try {
      const kept = new Set(
        await renewLeases(renewer, claims, this.leaseMs).catch(() =>
          renewLeases(runner, claims, this.leaseMs),
        ),
      );
      for (const claim of claims)
        if (kept.has(claim)) claim.renewed(leaseEnds);
        else if (this.#running.has(claim)) claim.loseLease();
    } catch (error) {
      log.warn({ err: error, queue: this.queue }, 'leases could not be renewed; retrying');
      nextMs = this.leaseMs / 20;
      // Once the database may give the job to another worker, its handler should stop.
      for (const claim of claims) if (performance.now() >= claim.leaseEnds) claim.loseLease();
    }
    this.#renewal = this.#running.size > 0 ? setTimeout(() => void this.#renew(), nextMs) : undefined;
  }

  #failed(error: unknown): number {
    const { log, random } = this.#options;
    this.#losses++;
    if (this.#failures++ === 0)
      log.warn({ err: error, queue: this.queue }, 'jobs could not be fetched; retrying');
    return Math.min(FETCH_RETRY_CAP_MS, backoff(this.#failures, random) / 4);
  }

  #recovered(): void {
    if (this.#failures > 0)
      this.#options.log.info({ queue: this.queue, failures: this.#failures }, 'jobs can be fetched again');
    this.#failures = 0;
  }

  async drain(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#settled();
  }

  async giveUp(ms: number): Promise<void> {
    for (const attempt of this.#running.keys()) attempt.giveUp();
    await inTime(ms, this.#settled());
    clearTimeout(this.#renewal);
    await Promise.allSettled([...this.#running.keys()].map((attempt) => attempt.giveBack()));
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#running.values());
    clearTimeout(this.#renewal);
  }
}
