import { randomUUID } from 'node:crypto';

import type { Database } from '../database/open.ts';
import { inTime } from '../in-time.ts';
import type { Log } from '../log.ts';
import type { WorkOptions } from './attempt.ts';
import { Listener } from './listener.ts';
import type { NewClaims } from './new-claims.ts';
import {
  discardDeadLetters,
  runNow,
  isSettled,
  listDeadLetters,
  type DeadJob,
  prune,
  queueStats,
  type QueueStats,
  retryDeadLetters,
} from './operate.ts';
import { QueueWorker, type QueueWorking } from './queue-worker.ts';
import type { JobTables } from './tables.ts';
import type { Runner } from './statements.ts';

export interface JobsOptions<Tables extends JobTables> {
  database: Database<Tables>;
  log: Log;
  /** 0 ≤ x < 1; spreads retries. Default Math.random. */
  random?: () => number;
  /**
   * Identifies this process in the table. Must not be used by two processes at once: it is part of every claim. Default
   * a UUID.
   */
  workerId?: string;
  /** Through which statements that add jobs claim some of them for this process. */
  claims?: NewClaims | undefined;
}

/** Runs jobs in order per ordering key, on the module's own tables, shared by all processes. */
export interface Jobs<Tables extends JobTables> {
  readonly database: Database<Tables>;
  /** Whether notifications arrive; false before `start` and while the connection is lost. */
  readonly listening: boolean;
  /**
   * Calls `notified` at each notification on a channel, and whenever some may have been missed: as the connection is
   * lost, and as it is back. Before `start`.
   */
  listen(channel: string, notified: () => void): void;
  /** Registers the handler of a queue. Once per queue; before or after `start`. */
  work<Payload>(options: WorkOptions<Payload>): void;
  /** Resolves when it listens, or when the database is unavailable; it keeps trying then. */
  start(): Promise<void>;
  /** Takes no new work, lets running jobs finish within `graceMs` (default 8,000), then releases the rest. */
  stop(graceMs?: number): Promise<void>;
  stats(): Promise<QueueStats[]>;
  /** Oldest first. */
  deadLetters(queue?: string): Promise<DeadJob[]>;
  /** Puts dead letters, by id or all of a queue, back in their places. Returns how many. */
  retryDeadLetters(which: readonly number[] | string): Promise<number>;
  discardDeadLetters(which: readonly number[] | string): Promise<number>;
  /** Discards dead letters older than that. */
  prune(olderThanDays: number): Promise<number>;
  /** Makes waiting jobs due now, for operators and tests. */
  runNow(queue?: string): Promise<number>;
  /**
   * Resolves when no job of these queues is due or running in any process and none is being fetched here; jobs that
   * wait for a later time and dead letters do not count. For tests: costs nothing while no one waits.
   */
  onSettled(queues: readonly string[]): Promise<void>;
}

const DEFAULT_GRACE_MS = 8_000;
/** For handlers that react to their signal after the grace period. */
const LAST_WORD_MS = 500;

export function createJobs<Tables extends JobTables>(options: JobsOptions<Tables>): Jobs<Tables> {
  const { database, log, random = Math.random, workerId = randomUUID(), claims } = options;
  const { db, pool, schema, connection } = database;
  const workers = new Map<string, QueueWorking>();
  const waiting = new Set<() => void>();
  const channels = new Map<string, () => void>();
  let state: 'new' | 'started' | 'stopped' = 'new';
  const isStopped = () => state === 'stopped';

  const runner: Runner = { query: (config) => pool.query<Record<string, unknown>>(config) };
  const wakeWaiting = () => {
    for (const wake of waiting) wake();
  };
  // One after the other: at once, each would open a connection, which takes ten times as long as a fetch.
  const lookEverywhere = async () => {
    for (const worker of workers.values()) await worker.look();
  };
  const listener = new Listener({
    connection,
    schema,
    worker: workerId,
    log,
    random,
    onWork: (queue, delayMs = 0) => {
      if (queue === undefined) void lookEverywhere();
      else workers.get(queue)?.wake(delayMs);
    },
    channels,
  });

  return {
    database,
    get listening() {
      return listener.connected;
    },
    listen: (channel, notified) => void channels.set(channel, notified),
    work(work) {
      if (workers.has(work.queue)) throw new Error(`the queue ${work.queue} already has a worker`);
      const worker = new QueueWorker(work, {
        worker: workerId,
        log,
        random,
        runner,
        renewer: listener,
        hears: () => listener.connected,
        onIdle: wakeWaiting,
      });
      workers.set(work.queue, worker);
      if (state === 'started') worker.wake();
    },
    async start() {
      if (state !== 'new') throw new Error('jobs start once');
      state = 'started';
      await listener.start();
      claims?.attach(workerId, workers);
      // As it begins to listen, it lets all look.
      if (!listener.connected) void lookEverywhere();
    },
    async stop(graceMs = DEFAULT_GRACE_MS) {
      if (state === 'stopped') return;
      state = 'stopped';
      const all = [...workers.values()];
      await inTime(graceMs, Promise.all(all.map((worker) => worker.drain())));
      await Promise.all(all.map((worker) => worker.giveUp(LAST_WORD_MS)));
      await listener.stop();
      wakeWaiting();
    },
    stats: () => queueStats(db, [...workers.keys()]),
    deadLetters: (queue) => listDeadLetters(db, queue),
    retryDeadLetters: (which) => retryDeadLetters(db, which),
    discardDeadLetters: (which) => discardDeadLetters(db, which),
    prune: (olderThanDays) => prune(db, olderThanDays),
    runNow: (queue) => runNow(db, queue),
    async onSettled(queues) {
      for (;;) {
        // Subscribes before it checks, or it could miss an event in between.
        const idle = Promise.withResolvers<undefined>();
        const wake = () => idle.resolve(undefined);
        waiting.add(wake);
        try {
          // A fetch under way could still take what is added next, beside a statement that claims it.
          const isQuiet = () => !queues.some((queue) => workers.get(queue)?.isFetching);
          if ((await isSettled(db, queues)) && isQuiet()) return;
          if (isStopped()) throw new Error('jobs were stopped before these queues were settled');
          await idle.promise;
        } finally {
          waiting.delete(wake);
        }
      }
    },
  };
}
