import { afterEach, beforeEach } from 'vitest';

import { migrate, migration } from '../../src/platform/database/migrate.ts';
import { type Database, openDatabase, transaction } from '../../src/platform/database/open.ts';
import {
  createJobs,
  JOBS_SQL,
  enqueue,
  type Job,
  type Jobs,
  type JobTables,
  type NewClaims,
  type NewJob,
} from '../../src/platform/jobs/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { CONNECTION_WAIT_MS, migratedDatabase } from '../harness/database.ts';

export const log = createLog({ level: 'silent', pretty: false });
export const SCHEMA = 'room';
export type Tables = JobTables & { effect: { what: string } };

/** A database with job tables and a table of effects for every test of a file, with helpers. */
export function jobsSetup() {
  let url: string;
  let database: Database<Tables>;
  let open: { close(): Promise<unknown> }[];

  beforeEach(async () => {
    ({ url } = await migratedDatabase('jobs', async (fresh) => {
      const room = openDatabase<Tables>({ url: fresh, schema: SCHEMA, log });
      await migrate(room, [
        migration('0001', JOBS_SQL),
        { name: '0002-effects', sql: 'create table effect (what text)' },
      ]);
      await room.close();
    }));
    database = openDatabase<Tables>({ url, schema: SCHEMA, log, waitMs: CONNECTION_WAIT_MS });
    open = [database];
  });

  afterEach(async () => {
    for (const one of open.reverse()) await one.close();
  });

  /** The jobs of a process, with its own connections. */
  function process(options: { poolSize?: number; claims?: NewClaims } = {}): Jobs<Tables> {
    const own = openDatabase<Tables>({
      url,
      schema: SCHEMA,
      log,
      poolSize: options.poolSize ?? 5,
      waitMs: CONNECTION_WAIT_MS,
    });
    const jobs = createJobs<Tables>({ database: own, log, random: () => 0.5, claims: options.claims });
    open.push({ close: () => jobs.stop(0).then(() => own.close()) });
    return jobs;
  }

  /** Runs every job of `q` and returns the payloads in the order in which they started. */
  async function workAll(handle?: (job: Job<string>) => Promise<void>, concurrency = 8): Promise<string[]> {
    const seen: string[] = [];
    const jobs = process();
    jobs.work<string>({
      queue: 'q',
      concurrency,
      handle: async (job) => {
        seen.push(job.payload);
        await handle?.(job);
      },
    });
    await jobs.start();
    await jobs.onSettled(['q']);
    return seen;
  }

  return {
    url: () => url,
    db: () => database.db,
    process,
    workAll,
    add: (...jobs: (Partial<NewJob> & { payload: string })[]) =>
      transaction(database.db, (tx) =>
        enqueue(
          tx,
          jobs.map((job) => ({ queue: 'q', orderingKey: 'k', ...job })),
        ),
      ),
    rows: () => database.db.selectFrom('job').selectAll().orderBy('id').execute(),
    effects: async () =>
      (await database.db.selectFrom('effect').select('what').execute()).map((row) => row.what),
  };
}

/** A handler that keeps each job until the test releases it; `next` is the next started job. */
export function stepwise() {
  const begun: Step[] = [];
  const waiting: ((step: Step) => void)[] = [];
  return {
    handle(job: Job<string>): Promise<void> {
      const end = Promise.withResolvers<undefined>();
      const step = { job, done: () => end.resolve(undefined), fail: (error: Error) => end.reject(error) };
      const taker = waiting.shift();
      if (taker) taker(step);
      else begun.push(step);
      return end.promise;
    },
    next(): Promise<Step> {
      const step = begun.shift();
      if (step) return Promise.resolve(step);
      return new Promise((resolve) => waiting.push(resolve));
    },
    begun,
  };
}

interface Step {
  job: Job<string>;
  done(): void;
  fail(error: Error): void;
}
