import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { transaction } from '../../src/platform/database/open.ts';
import { enqueue, type Job } from '../../src/platform/jobs/index.ts';
import { jobsSetup, stepwise } from './jobs-setup.ts';

const { add, db, process, rows, workAll } = jobsSetup();

describe('order', () => {
  test('jobs of one key run in the order of their commits, also several of one transaction', async () => {
    const expected: string[] = [];
    for (let transactionNo = 0; transactionNo < 10; transactionNo++) {
      const jobs = [1, 2, 3, 4].map((n) => ({ payload: `${transactionNo}.${n}` }));
      expected.push(...jobs.map((job) => job.payload));
      await add(...jobs);
    }
    expect(await workAll()).toEqual(expected);
    expect(await rows()).toEqual([]);
  });

  test('jobs of one key never overlap, and jobs of others do not wait for them', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 5, handle: (job) => steps.handle(job) });
    await jobs.start();
    await add(
      { payload: 'a1', orderingKey: 'a' },
      { payload: 'a2', orderingKey: 'a' },
      { payload: 'b1', orderingKey: 'b' },
    );
    const [one, two] = [await steps.next(), await steps.next()];
    expect([one.job.payload, two.job.payload].sort()).toEqual(['a1', 'b1']);
    two.done();
    one.done();
    expect((await steps.next()).job.payload).toBe('a2');
  });

  test('a worker starts with few jobs at once, and has all its places once enough of them have ended', async () => {
    const ENDED = 20;
    const waiting: (() => void)[] = [];
    const jobs = process();
    const started = (count: number) => expect.poll(() => waiting.length).toBe(count);
    jobs.work<string>({
      queue: 'q',
      concurrency: 4,
      startsWith: 2,
      handle: () => new Promise<void>((resolve) => waiting.push(resolve)),
    });
    await add(
      ...Array.from({ length: 3 * 12 }, (_, n) => ({ payload: String(n), orderingKey: String(n % 12) })),
    );
    await jobs.start();
    await started(2);
    for (let ended = 0; ended < ENDED; ended++) {
      waiting[ended]?.();
      await started(ended + 1 + Math.min(4, 2 + Math.floor((ended + 1) / 10)));
    }
    for (let next = ENDED; next < 3 * 12; next++) {
      waiting[next]?.();
      if (next < 3 * 12 - 4) await started(next + 5);
    }
    await jobs.onSettled(['q']);
  });

  test('a failed job is retried before those behind it', async () => {
    await add({ payload: 'first' }, { payload: 'second' });
    const seen: string[] = [];
    const jobs = process();
    jobs.work<string>({
      queue: 'q',
      concurrency: 4,
      backoff: () => 0,
      handle: async (job) => {
        seen.push(`${job.payload} ${job.attempt}`);
        if (job.payload === 'first' && job.attempt < 3) throw new Error('not yet');
      },
    });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['first 1', 'first 2', 'first 3', 'second 1']);
  });

  test('a delayed job holds those behind it, and runNow makes it due', async () => {
    await add({ payload: 'later', delayMs: 3_600_000 }, { payload: 'behind' });
    const jobs = process();
    const seen: string[] = [];
    jobs.work<string>({ queue: 'q', concurrency: 4, handle: async (job) => void seen.push(job.payload) });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen).toEqual([]);
    expect(await jobs.runNow('q')).toBe(1);
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['later', 'behind']);
  });

  test('a job added while the last job of its ordering key ends is not forgotten', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await jobs.start();
    await add({ payload: 'last' });
    const last = await steps.next();
    await transaction(db(), async (tx) => {
      await enqueue(tx, [{ queue: 'q', orderingKey: 'k', payload: 'next' }]);
      last.done();
      // The worker now waits for the lock of the ordering key, which this transaction holds.
      await expect
        .poll(async () => (await sql`select 1 from pg_locks where not granted`.execute(db())).rows.length)
        .toBe(1);
    });
    expect((await steps.next()).job.payload).toBe('next');
  });

  test('two jobs that add to each other’s keys in their completing transactions do not deadlock', async () => {
    const jobs = process();
    const bothInside = Promise.withResolvers<undefined>();
    let inside = 0;
    const attempts: number[] = [];
    const ping = (other: string) => (job: Job<string>) =>
      transaction(jobs.database.db, async (tx) => {
        attempts.push(job.attempt);
        if (job.payload === 'ping') await enqueue(tx, [{ queue: other, orderingKey: 'k', payload: 'pong' }]);
        if (job.payload === 'ping' && ++inside === 2) bothInside.resolve(undefined);
        if (job.payload === 'ping') await bothInside.promise;
        await job.complete(tx);
      });
    jobs.work<string>({ queue: 'chat', concurrency: 1, handle: ping('conversation') });
    jobs.work<string>({ queue: 'conversation', concurrency: 1, handle: ping('chat') });
    await add({ queue: 'chat', payload: 'ping' }, { queue: 'conversation', payload: 'ping' });
    await jobs.start();
    await jobs.onSettled(['chat', 'conversation']);
    expect(attempts).toEqual([1, 1, 1, 1]);
  });
});

describe('adding jobs', () => {
  test('a job in a rolled-back transaction is not added', async () => {
    const undone = transaction(db(), async (tx) => {
      await enqueue(tx, [{ queue: 'q', orderingKey: 'k', payload: 'never' }]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await add({ payload: 'after' });
    expect(await workAll()).toEqual(['after']);
  });

  test('a dedupe key adds no second job while the first waits or runs, and is free afterwards', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'one', dedupeKey: 'd' }, { payload: 'two', dedupeKey: 'd' });
    await add({ payload: 'three', dedupeKey: 'd', orderingKey: 'another' });
    await jobs.start();
    const first = await steps.next();
    await add({ payload: 'four', dedupeKey: 'd' });
    expect(await rows()).toHaveLength(1);
    first.done();
    await jobs.onSettled(['q']);
    await add({ payload: 'five', dedupeKey: 'd' });
    expect([first.job.payload, (await steps.next()).job.payload]).toEqual(['one', 'five']);
  });

  test('a job behind a duplicate still runs', async () => {
    await add({ payload: 'known', dedupeKey: 'd', orderingKey: 'elsewhere' });
    await add({ payload: 'again', dedupeKey: 'd' }, { payload: 'behind' });
    expect((await workAll()).sort()).toEqual(['behind', 'known']);
  });

  test('twenty concurrent adds with one dedupe key add one job', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => add({ payload: 'x', dedupeKey: 'd', orderingKey: `k${n % 3}` })),
    );
    expect(await workAll()).toEqual(['x']);
  });

  test('calls with the same keys in opposite orders do not deadlock', async () => {
    const there = ['a', 'b', 'c', 'd'].map((key) => ({ payload: key, orderingKey: key }));
    await Promise.all(Array.from({ length: 30 }, (_, n) => add(...(n % 2 ? there : there.toReversed()))));
    expect(await workAll()).toHaveLength(120);
  });

  test('a payload may contain any text', async () => {
    const text = 'NUL \0, half a pair \ud800, "quotes", emoji 👩‍💻';
    await add({ payload: text });
    expect(await workAll()).toEqual([text]);
  });

  test('a worker is notified of a new job at once', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await jobs.start();
    await jobs.onSettled(['q']);
    const started = performance.now();
    await add({ payload: 'now' });
    await steps.next();
    // Far below the polling interval.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
