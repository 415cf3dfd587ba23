import pg from 'pg';
import { describe, expect, test } from 'vitest';

import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createJobs } from '../../src/platform/jobs/index.ts';
import { jobsSetup, log, SCHEMA, stepwise, type Tables } from './jobs-setup.ts';

const { add, effects, process, rows, url, workAll } = jobsSetup();

describe('stopping', () => {
  test('running jobs finish within the grace period, and no new job starts', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'running' }, { payload: 'next' });
    await jobs.start();
    const running = await steps.next();
    const stopped = jobs.stop();
    running.done();
    await stopped;
    expect(steps.begun).toEqual([]);
    expect(await rows()).toMatchObject([{ payload: 'next', state: 'ready', head: true }]);
  });

  test('an unfinished job is aborted and released unchanged, for another process to claim at once', async () => {
    const steps = stepwise();
    const [leaving, staying] = [process(), process()];
    for (const jobs of [leaving, staying])
      jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'heeds', orderingKey: 'a' }, { payload: 'ignores', orderingKey: 'b' });
    await leaving.start();
    for (const step of [await steps.next(), await steps.next()])
      if (step.job.payload === 'heeds')
        step.job.signal.addEventListener('abort', () => step.fail(new Error('stopped')));
    await leaving.stop(0);
    expect(await rows()).toMatchObject([
      { state: 'ready', attempts: 0, last_error: null },
      { state: 'ready', attempts: 0, last_error: null },
    ]);
    await staying.start();
    expect([(await steps.next()).job.attempt, (await steps.next()).job.attempt]).toEqual([1, 1]);
  });

  test('a released job wakes up a waiting process', async () => {
    const steps = stepwise();
    const [leaving, staying] = [process(), process()];
    for (const jobs of [leaving, staying])
      jobs.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await leaving.start();
    await steps.next();
    await staying.start();
    const before = performance.now();
    await leaving.stop(0);
    await steps.next();
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test('F11 start and stop may follow each other quickly, and stop may be called twice', async () => {
    await add(...Array.from({ length: 20 }, (_, n) => ({ payload: String(n), orderingKey: String(n) })));
    for (let round = 0; round < 20; round++) {
      const jobs = process();
      jobs.work<string>({ queue: 'q', concurrency: 2, handle: async () => undefined });
      const starting = jobs.start();
      await jobs.stop();
      await starting;
      await jobs.stop();
    }
    expect((await rows()).every((row) => row.state === 'ready')).toBe(true);
    await workAll();
    expect(await rows()).toEqual([]);
  });
});

describe('an unavailable database', () => {
  test('a database that comes back needs no restart: each effect happens once, and new jobs are noticed at once', async () => {
    const jobs = process();
    const halfway = Promise.withResolvers<undefined>();
    const cut = Promise.withResolvers<undefined>();
    let runs = 0;
    jobs.work<string>({
      queue: 'q',
      concurrency: 4,
      backoff: () => 0,
      handle: async (job) => {
        if (++runs === 10) halfway.resolve(undefined);
        await transaction(jobs.database.db, async (tx) => {
          await tx.insertInto('effect').values({ what: job.payload }).execute();
          // One job loses its connection between two statements of a transaction, without a query that could
          // report it.
          if (job.payload === '42') await cut.promise;
          await job.complete(tx);
        });
      },
    });
    const expected = Array.from({ length: 100 }, (_, n) => String(n));
    await add(...expected.map((payload, n) => ({ payload, orderingKey: `k${n % 7}` })));
    await jobs.start();
    await halfway.promise;
    await cutAllConnections();
    cut.resolve(undefined);
    // Jobs whose end could not be recorded wait for their lease; no other worker has them.
    await expect.poll(rows).toEqual([]);
    expect((await effects()).sort()).toEqual(expected.sort());

    // Notified by the new listening connection, well before the next poll.
    await expect.poll(listeners).toBe(1);
    const before = performance.now();
    await add({ payload: 'afterwards' });
    await expect.poll(rows).toEqual([]);
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test('a database that was never reachable does not keep jobs from starting', async () => {
    const own = openDatabase<Tables>({
      url: url().replace(/(\/)[^/?]*(\?|$)/, '$1no_such_database$2'),
      schema: SCHEMA,
      log,
    });
    const jobs = createJobs<Tables>({ database: own, log });
    jobs.work<string>({ queue: 'q', concurrency: 1, handle: async () => undefined });
    await jobs.start();
    await jobs.stop();
    await own.close();
  });

  async function cutAllConnections(): Promise<void> {
    await withAdmin((admin) =>
      admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    );
  }

  async function listeners(): Promise<number> {
    const { rows: found } = await withAdmin((admin) =>
      admin.query(
        // The listening connection holds the lock that shows that its worker lives.
        `select 1 from pg_locks join pg_database d on d.oid = database where datname = current_database()
           and locktype = 'advisory' and mode = 'ShareLock' and granted`,
      ),
    );
    return found.length;
  }

  async function withAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
    const admin = new pg.Client({ connectionString: url() });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  }
});
