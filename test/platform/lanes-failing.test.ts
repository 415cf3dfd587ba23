import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { backoff, Park, RetryLater } from '../../src/platform/lanes/index.ts';
import { lanesRoom, stepwise } from './lanes-room.ts';

const { add, db, process, rows, workAll } = lanesRoom();

describe('failing', () => {
  test('the reason is kept, and any error is tried again for ever', async () => {
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

  test('RetryLater says when, and whether the try counts', async () => {
    await add({ payload: 'x' });
    await workAll(async () => {
      throw new RetryLater('rate limited', { afterMs: 60_000, countAttempt: false });
    });
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'ready', attempts: 0, last_error: 'RetryLater: rate limited' });
    expect((row?.run_at.getTime() ?? 0) - (row?.enqueued_at.getTime() ?? 0)).toBeGreaterThan(59_000);
  });

  test('the wait after an error grows from half a second on average to a minute at most', () => {
    const mean = (attempt: number) => backoff(attempt, () => 0.5);
    expect([1, 2, 3, 7, 8, 1_000, 1_000_000].map(mean)).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000, 30_000,
    ]);
    expect(backoff(5, () => 0)).toBe(0);
  });

  test('a payload that cannot be parsed is parked, never handled', async () => {
    await add({ payload: 'nonsense' });
    const lanes = process();
    let handled = 0;
    lanes.work<number>({
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
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(handled).toBe(0);
    const [parked] = await lanes.parked();
    expect(parked?.reason).toMatch(/invalid payload for q: not a number/);
  });
});

describe('parking', () => {
  /** Parks the first, and remembers what ran. */
  function picky(afterPark: 'skip' | 'hold', bad = new Set(['bad'])) {
    const seen: string[] = [];
    const lanes = process();
    lanes.work<string>({
      queue: 'q',
      concurrency: 4,
      afterPark,
      handle: async (job) => {
        if (bad.has(job.payload)) throw new Park('never');
        seen.push(job.payload);
      },
    });
    return { lanes, seen, bad };
  }

  test('with skip the lane goes on, and a retried job takes its old place in it', async () => {
    const { lanes, seen, bad } = picky('skip', new Set(['bad', 'worse']));
    await add({ payload: 'bad' }, { payload: 'good' });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['good']);
    expect(await lanes.parked('q')).toMatchObject([
      { key: 'k', payload: 'bad', reason: 'Park: never', holds: false },
    ]);
    bad.clear();
    await add({ payload: 'later', delayMs: 3_600_000 });
    expect(await lanes.retryParked('q')).toBe(1);
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['good', 'bad']);
    await lanes.hurry();
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['good', 'bad', 'later']);
    expect(await rows()).toEqual([]);
  });

  test('a job retried while one behind it runs comes next after that one', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 4, handle: (job) => steps.handle(job) });
    await lanes.start();
    await add({ payload: 'first' }, { payload: 'second' }, { payload: 'third' });
    (await steps.next()).fail(new Park('never'));
    const second = await steps.next();
    expect(await lanes.retryParked('q')).toBe(1);
    expect(steps.begun).toEqual([]);
    second.done();
    const first = await steps.next();
    expect(first.job).toMatchObject({ payload: 'first', attempt: 1 });
    first.done();
    expect((await steps.next()).job.payload).toBe('third');
  });

  test('with hold the lane waits until the job is retried', async () => {
    const { lanes, seen, bad } = picky('hold');
    await add({ payload: 'bad' }, { payload: 'behind' });
    await lanes.start();
    await lanes.onSettled(['q']);
    await add({ payload: 'last' });
    await lanes.onSettled(['q']);
    expect(seen).toEqual([]);
    const [parked] = await lanes.parked();
    expect(parked?.holds).toBe(true);
    bad.clear();
    expect(await lanes.retryParked([parked?.id ?? 0])).toBe(1);
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['bad', 'behind', 'last']);
  });

  test('with hold the lane goes on when the job is dropped', async () => {
    const { lanes, seen } = picky('hold');
    await add({ payload: 'bad' }, { payload: 'behind' });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(await lanes.dropParked('q')).toBe(1);
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['behind']);
    expect(await rows()).toEqual([]);
  });

  test('prune drops what was parked long ago, and nothing else', async () => {
    const { lanes } = picky('skip');
    await add({ payload: 'bad', key: 'old' }, { payload: 'bad', key: 'new' });
    await lanes.start();
    await lanes.onSettled(['q']);
    await sql`update job set dead_at = now() - interval '91 days' where ordering_key = 'old'`.execute(db());
    await add({ payload: 'waiting', delayMs: 1_000_000 });
    expect(await lanes.prune(90)).toBe(1);
    expect((await rows()).map((row) => row.ordering_key)).toEqual(['new', 'k']);
  });

  test('a parked job does not stand in the way of a new one with its dedupe, nor that one of its return', async () => {
    const { lanes, seen, bad } = picky('skip');
    await add({ payload: 'bad', dedupe: 'd' });
    await lanes.start();
    await lanes.onSettled(['q']);
    await add({ payload: 'new', dedupe: 'd', key: 'other', delayMs: 1_000_000 });
    bad.clear();
    expect(await lanes.retryParked('q')).toBe(1);
    await lanes.hurry();
    await lanes.onSettled(['q']);
    expect(seen.sort()).toEqual(['bad', 'new']);
  });

  test('stats count each state, also of queues without jobs', async () => {
    const { lanes } = picky('hold');
    lanes.work<string>({ queue: 'empty', concurrency: 1, handle: async () => undefined });
    await add({ payload: 'bad' }, { payload: 'behind' }, { payload: 'later', key: 'x', delayMs: 1_000_000 });
    await lanes.start();
    await lanes.onSettled(['q']);
    const [empty, q] = await lanes.stats();
    expect(empty).toEqual({ queue: 'empty', ready: 0, running: 0, waiting: 0, parked: 0, oldestSeconds: 0 });
    expect(q).toMatchObject({ queue: 'q', ready: 1, running: 0, waiting: 1, parked: 1 });
    expect(q?.oldestSeconds).toBeGreaterThan(0);
  });
});
