import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { backoff } from '../../src/platform/backoff.ts';
import { DeadLetter, RetryLater } from '../../src/platform/jobs/index.ts';
import { jobsSetup, stepwise } from './jobs-setup.ts';

const { add, db, process, rows, workAll } = jobsSetup();

describe('failures', () => {
  test('the reason is stored, and any error is retried forever', async () => {
    await add({ payload: 'x' });
    const seen = await workAll(async () => {
      throw new Error('the service is away');
    });
    expect(seen).toEqual(['x']);
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'ready', attempts: 1, head: true, last_error: 'the service is away' });
    const waitMs = (row?.run_at.getTime() ?? 0) - (row?.enqueued_at.getTime() ?? 0);
    expect(waitMs).toBeGreaterThan(400);
    expect(waitMs).toBeLessThan(10_000);
  });

  test('RetryLater sets the delay, and whether the attempt counts', async () => {
    await add({ payload: 'x' });
    await workAll(async () => {
      throw new RetryLater('rate limited', { afterMs: 60_000, countAttempt: false });
    });
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'ready', attempts: 0, last_error: 'RetryLater: rate limited' });
    expect((row?.run_at.getTime() ?? 0) - (row?.enqueued_at.getTime() ?? 0)).toBeGreaterThan(59_000);
  });

  test('the delay after an error grows from half a second on average to at most a minute', () => {
    const mean = (attempt: number) => backoff(attempt, () => 0.5);
    expect([1, 2, 3, 7, 8, 1_000, 1_000_000].map(mean)).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000, 30_000,
    ]);
    expect(backoff(5, () => 0)).toBe(0);
  });

  test('a payload that cannot be parsed becomes a dead letter and is never handled', async () => {
    await add({ payload: 'nonsense' });
    const jobs = process();
    let handled = 0;
    jobs.work<number>({
      queue: 'q',
      concurrency: 1,
      parse: (payload) => {
        if (typeof payload !== 'number') throw new Error('not a number');
        return payload;
      },
      handle: async () => {
        handled++;
      },
    });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(handled).toBe(0);
    const [dead] = await jobs.deadLetters();
    expect(dead?.reason).toMatch(/invalid payload for q: not a number/);
  });
});

describe('dead letters', () => {
  /** A worker for which bad payloads become dead letters; it records the others. */
  function picky(onDeadLetter: 'skip' | 'hold', bad = new Set(['bad'])) {
    const seen: string[] = [];
    const jobs = process();
    jobs.work<string>({
      queue: 'q',
      concurrency: 4,
      onDeadLetter,
      handle: async (job) => {
        if (bad.has(job.payload)) throw new DeadLetter('never');
        seen.push(job.payload);
      },
    });
    return { jobs, seen, bad };
  }

  test('with skip the ordering key moves on, and a retried job takes its old place in it', async () => {
    const { jobs, seen, bad } = picky('skip', new Set(['bad', 'worse']));
    await add({ payload: 'bad' }, { payload: 'good' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['good']);
    expect(await jobs.deadLetters('q')).toMatchObject([
      { orderingKey: 'k', payload: 'bad', reason: 'DeadLetter: never', holds: false },
    ]);
    bad.clear();
    await add({ payload: 'later', delayMs: 3_600_000 });
    expect(await jobs.retryDeadLetters('q')).toBe(1);
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['good', 'bad']);
    await jobs.runNow();
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['good', 'bad', 'later']);
    expect(await rows()).toEqual([]);
  });

  test('a job retried while a later one runs comes right after that one', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 4, handle: (job) => steps.handle(job) });
    await jobs.start();
    await add({ payload: 'first' }, { payload: 'second' }, { payload: 'third' });
    (await steps.next()).fail(new DeadLetter('never'));
    const second = await steps.next();
    expect(await jobs.retryDeadLetters('q')).toBe(1);
    expect(steps.begun).toEqual([]);
    second.done();
    const first = await steps.next();
    expect(first.job).toMatchObject({ payload: 'first', attempt: 1 });
    first.done();
    expect((await steps.next()).job.payload).toBe('third');
  });

  test('with hold the ordering key waits until the job is retried', async () => {
    const { jobs, seen, bad } = picky('hold');
    await add({ payload: 'bad' }, { payload: 'behind' });
    await jobs.start();
    await jobs.onSettled(['q']);
    await add({ payload: 'last' });
    await jobs.onSettled(['q']);
    expect(seen).toEqual([]);
    const [dead] = await jobs.deadLetters();
    expect(dead?.holds).toBe(true);
    bad.clear();
    expect(await jobs.retryDeadLetters([dead?.id ?? 0])).toBe(1);
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['bad', 'behind', 'last']);
  });

  test('with hold the ordering key moves on when the job is discarded', async () => {
    const { jobs, seen } = picky('hold');
    await add({ payload: 'bad' }, { payload: 'behind' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(await jobs.discardDeadLetters('q')).toBe(1);
    await jobs.onSettled(['q']);
    expect(seen).toEqual(['behind']);
    expect(await rows()).toEqual([]);
  });

  test('prune deletes old dead letters and nothing else', async () => {
    const { jobs } = picky('skip');
    await add({ payload: 'bad', orderingKey: 'old' }, { payload: 'bad', orderingKey: 'new' });
    await jobs.start();
    await jobs.onSettled(['q']);
    await sql`update job set dead_at = now() - interval '91 days' where ordering_key = 'old'`.execute(db());
    await add({ payload: 'waiting', delayMs: 1_000_000 });
    expect(await jobs.prune(90)).toBe(1);
    expect((await rows()).map((row) => row.ordering_key)).toEqual(['new', 'k']);
  });

  test('a dead letter does not block a new job with its dedupe key, nor does that job block its retry', async () => {
    const { jobs, seen, bad } = picky('skip');
    await add({ payload: 'bad', dedupeKey: 'd' });
    await jobs.start();
    await jobs.onSettled(['q']);
    await add({ payload: 'new', dedupeKey: 'd', orderingKey: 'other', delayMs: 1_000_000 });
    bad.clear();
    expect(await jobs.retryDeadLetters('q')).toBe(1);
    await jobs.runNow();
    await jobs.onSettled(['q']);
    expect(seen.sort()).toEqual(['bad', 'new']);
  });

  test('stats count each state, also for queues without jobs', async () => {
    const { jobs } = picky('hold');
    jobs.work<string>({ queue: 'empty', concurrency: 1, handle: async () => undefined });
    await add(
      { payload: 'bad' },
      { payload: 'behind' },
      { payload: 'later', orderingKey: 'x', delayMs: 1_000_000 },
    );
    await jobs.start();
    await jobs.onSettled(['q']);
    const [empty, q] = await jobs.stats();
    expect(empty).toEqual({ queue: 'empty', ready: 0, running: 0, waiting: 0, dead: 0, oldestSeconds: 0 });
    expect(q).toMatchObject({ queue: 'q', ready: 1, running: 0, waiting: 1, dead: 1 });
    expect(q?.oldestSeconds).toBeGreaterThan(0);
  });
});
