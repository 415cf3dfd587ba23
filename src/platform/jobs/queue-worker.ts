import type { Log } from '../log.ts';
import { Attempt, type Ended, type Surroundings, type Taken, type WorkOptions } from './attempt.ts';
import { backoff } from './backoff.ts';
import { fetchJobs } from './fetch-jobs.ts';
import { renewLeases } from './renew-leases.ts';
import { freeUnknown } from './rescue.ts';
import type { Runner } from './statements.ts';

/** A worker polls at least this often: a notification may be lost with its connection. */
const LOOK_EVERY_MS = 5_000;
const FETCH_RETRY_CAP_MS = 5_000;
const DEFAULT_LEASE_MS = 60_000;

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
export interface QueueWorking {
  readonly queue: string;
  wake(): void;
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
  readonly #leaseMs: number;
  readonly #options: QueueWorkerOptions;
  readonly #around: Surroundings;
  readonly #running = new Map<Attempt<Payload>, Promise<void>>();
  #fetching = false;
  /** The last fetch was full: there may be more. */
  #leftSome = false;
  #wakes = 0;
  #failures = 0;
  /** The database was unavailable: it may hold claims of this worker that it does not know of. */
  #wasAway = false;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(work: WorkOptions<Payload>, options: QueueWorkerOptions) {
    this.queue = work.queue;
    this.#work = work;
    this.#leaseMs = work.leaseMs ?? DEFAULT_LEASE_MS;
    this.#options = options;
    this.#around = { ...options, takesMore: () => !this.#stopping };
  }

  wake(): void {
    if (this.#stopping) return;
    this.#wakes++;
    if (!this.#fetching && this.#running.size < this.#work.concurrency) void this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { runner, worker } = this.#options;
    this.#fetching = true;
    const wakes = this.#wakes;
    clearTimeout(this.#timer);
    const limit = this.#work.concurrency - this.#running.size;
    const leaseEnds = performance.now() + this.#leaseMs;
    let waitMs = LOOK_EVERY_MS;
    let found = 0;
    try {
      const { jobs, nextInMs } = await fetchJobs(runner, {
        queue: this.queue,
        limit,
        worker,
        leaseMs: this.#leaseMs,
      });
      this.#recovered();
      found = jobs.length;
      this.#leftSome = found >= limit;
      for (const job of jobs) this.#start({ job, leaseEnds, streak: 0 });
      if (this.#wasAway) found += await this.#freeUnknown();
      waitMs = Math.min(LOOK_EVERY_MS, nextInMs ?? LOOK_EVERY_MS);
    } catch (error) {
      waitMs = this.#failed(error);
    }
    this.#fetching = false;
    if (this.#stopping) return;
    this.#timer = setTimeout(() => this.wake(), Math.ceil(waitMs));
    // Woken meanwhile: the new job may have been committed just after this fetch.
    if (this.#wakes !== wakes) this.wake();
    else if (found === 0 && this.#running.size === 0) this.#options.onIdle();
  }

  /**
   * Nothing is being fetched meanwhile, so a claim with this worker's name belongs to no one if no job of its ordering key
   * runs here; one that runs may just be taking the next one.
   */
  async #freeUnknown(): Promise<number> {
    const { runner, worker } = this.#options;
    const running = [...this.#running.keys()].map(({ orderingKey }) => orderingKey);
    this.#wasAway = false;
    try {
      const freed = await freeUnknown(runner, this.queue, worker, running);
      if (freed > 0) this.#wakes++;
      return freed;
    } catch (error) {
      this.#wasAway = true;
      throw error;
    }
  }

  #start(taken: Taken): void {
    const attempt = this.#attempt(taken);
    const done = attempt.run().then(async (ended) => {
      this.#running.delete(attempt);
      await this.#ended(ended);
    });
    this.#running.set(attempt, done);
    this.#renewal ??= setTimeout(() => void this.#renew(), this.#leaseMs / 3);
  }

  #attempt(taken: Taken): Attempt<Payload> {
    return new Attempt(taken, this.#leaseMs, this.#work, this.#around);
  }

  /**
   * Fetches again only if there may be something: if the next job of the key was promoted, workers are notified of it.
   * That saves half of all fetches, the most expensive statement.
   */
  async #ended({ moved, next, unsure }: Ended): Promise<void> {
    if (unsure) this.#wasAway = true;
    if (next && !this.#stopping) this.#start(next);
    // If this fails, other workers take the job over once this process has ended.
    else if (next)
      await this.#attempt(next)
        .giveBack()
        .catch(() => undefined);
    else if (!moved || this.#leftSome || !this.#options.hears()) this.wake();
    else if (this.#running.size === 0 && !this.#fetching && !this.#stopping) this.#options.onIdle();
  }

  async #renew(): Promise<void> {
    const { renewer, runner, log } = this.#options;
    const claims = [...this.#running.keys()];
    const leaseEnds = performance.now() + this.#leaseMs;
    let nextMs = this.#leaseMs / 3;
    try {
      const kept = new Set(
        await renewLeases(renewer, claims, this.#leaseMs).catch(() =>
          renewLeases(runner, claims, this.#leaseMs),
        ),
      );
      for (const claim of claims)
        if (kept.has(claim)) claim.renewed(leaseEnds);
        else if (this.#running.has(claim)) claim.loseLease();
    } catch (error) {
      log.warn({ err: error, queue: this.queue }, 'leases could not be renewed; retrying');
      nextMs = this.#leaseMs / 20;
      // Once the database may give the job to another worker, its handler should stop.
      for (const claim of claims) if (performance.now() >= claim.leaseEnds) claim.loseLease();
    }
    this.#renewal = this.#running.size > 0 ? setTimeout(() => void this.#renew(), nextMs) : undefined;
  }

  #failed(error: unknown): number {
    const { log, random } = this.#options;
    this.#wasAway = true;
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
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.#settled(), new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
    clearTimeout(timer);
    clearTimeout(this.#renewal);
    await Promise.allSettled([...this.#running.keys()].map((attempt) => attempt.giveBack()));
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#running.values());
    clearTimeout(this.#renewal);
  }
}
