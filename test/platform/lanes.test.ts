import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { migrate } from '../../src/platform/database/migrate.ts';
import { type Database, openDatabase, transaction } from '../../src/platform/database/open.ts';
import {
  backoff,
  createLanes,
  enqueue,
  type Job,
  type Lanes,
  type LanesTables,
  laneFunctions,
  lanesMigration,
  LeaseLost,
  type NewJob,
  Park,
  RetryLater,
} from '../../src/platform/lanes/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const SCHEMA = 'room';
type Tables = LanesTables & { effect: { what: string } };

let url: string;
let database: Database<Tables>;
let open: { close(): Promise<unknown> }[];

beforeEach(async () => {
  ({ url } = await migratedDatabase('lanes', async (fresh) => {
    const room = openDatabase<Tables>({ url: fresh, schema: SCHEMA, log });
    await migrate(room, [
      lanesMigration,
      laneFunctions('0000-functions'),
      { name: '0001-effects', sql: 'create table effect (what text)' },
    ]);
    await room.close();
  }));
  database = openDatabase<Tables>({ url, schema: SCHEMA, log });
  open = [database];
});

afterEach(async () => {
  for (const one of open.reverse()) await one.close();
});

/** A process's lanes, with connections of their own. */
function process(options: { workerId?: string; poolSize?: number } = {}): Lanes<Tables> {
  const own = openDatabase<Tables>({ url, schema: SCHEMA, log, poolSize: options.poolSize ?? 5 });
  const lanes = createLanes<Tables>({
    database: own,
    log,
    random: () => 0.5,
    ...(options.workerId === undefined ? {} : { workerId: options.workerId }),
  });
  open.push({ close: () => lanes.stop(0).then(() => own.close()) });
  return lanes;
}

const add = (...jobs: (Partial<NewJob> & { payload: string })[]) =>
  transaction(database.db, (tx) =>
    enqueue(
      tx,
      jobs.map((job) => ({ queue: 'q', key: 'k', ...job })),
    ),
  );

const rows = async () => await database.db.selectFrom('job').selectAll().orderBy('id').execute();
const effects = async () =>
  (await database.db.selectFrom('effect').select('what').execute()).map((row) => row.what);

/** A handler whose every job waits until the test lets it go; `next` is the next that was begun. */
function stepwise() {
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

/** Works everything of `q` and returns the payloads in the order in which they were begun. */
async function workAll(handle?: (job: Job<string>) => Promise<void>, concurrency = 8): Promise<string[]> {
  const seen: string[] = [];
  const lanes = process();
  lanes.work<string>({
    queue: 'q',
    concurrency,
    handle: async (job) => {
      seen.push(job.payload);
      await handle?.(job);
    },
  });
  await lanes.start();
  await lanes.onSettled(['q']);
  return seen;
}

describe('order', () => {
  test('jobs of one key run in the order of their commits, also many of one transaction', async () => {
    const expected: string[] = [];
    for (let transactionNo = 0; transactionNo < 10; transactionNo++) {
      const jobs = [1, 2, 3, 4].map((n) => ({ payload: `${transactionNo}.${n}` }));
      expected.push(...jobs.map((job) => job.payload));
      await add(...jobs);
    }
    expect(await workAll()).toEqual(expected);
    expect(await rows()).toEqual([]);
  });

  test('jobs of one key never overlap, and those of others do not wait for them', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 5, handle: (job) => steps.handle(job) });
    await lanes.start();
    await add({ payload: 'a1', key: 'a' }, { payload: 'a2', key: 'a' }, { payload: 'b1', key: 'b' });
    const [one, two] = [await steps.next(), await steps.next()];
    expect([one.job.payload, two.job.payload].sort()).toEqual(['a1', 'b1']);
    two.done();
    one.done();
    expect((await steps.next()).job.payload).toBe('a2');
  });

  test('a job that fails is tried again before those behind it', async () => {
    await add({ payload: 'first' }, { payload: 'second' });
    const seen: string[] = [];
    const lanes = process();
    lanes.work<string>({
      queue: 'q',
      concurrency: 4,
      backoff: () => 0,
      handle: async (job) => {
        seen.push(`${job.payload} ${job.attempt}`);
        if (job.payload === 'first' && job.attempt < 3) throw new Error('not yet');
      },
    });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['first 1', 'first 2', 'first 3', 'second 1']);
  });

  test('a delayed job holds those behind it, and hurry makes it due', async () => {
    await add({ payload: 'later', delayMs: 3_600_000 }, { payload: 'behind' });
    const lanes = process();
    const seen: string[] = [];
    lanes.work<string>({ queue: 'q', concurrency: 4, handle: async (job) => void seen.push(job.payload) });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(seen).toEqual([]);
    expect(await lanes.hurry('q')).toBe(1);
    await lanes.onSettled(['q']);
    expect(seen).toEqual(['later', 'behind']);
  });

  test('an addition that overlaps the end of the last job of its lane is not forgotten', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await lanes.start();
    await add({ payload: 'last' });
    const last = await steps.next();
    await transaction(database.db, async (tx) => {
      await enqueue(tx, [{ queue: 'q', key: 'k', payload: 'next' }]);
      last.done();
      // The worker is now waiting for the lane's lock, which this transaction has.
      await expect
        .poll(
          async () => (await sql`select 1 from pg_locks where not granted`.execute(database.db)).rows.length,
        )
        .toBe(1);
    });
    expect((await steps.next()).job.payload).toBe('next');
  });

  test('two lanes that add to each other from the transactions that complete their jobs do not deadlock', async () => {
    const lanes = process();
    const bothInside = Promise.withResolvers<undefined>();
    let inside = 0;
    const attempts: number[] = [];
    const ping = (other: string) => (job: Job<string>) =>
      transaction(lanes.database.db, async (tx) => {
        attempts.push(job.attempt);
        if (job.payload === 'ping') await enqueue(tx, [{ queue: other, key: 'k', payload: 'pong' }]);
        if (job.payload === 'ping' && ++inside === 2) bothInside.resolve(undefined);
        if (job.payload === 'ping') await bothInside.promise;
        await job.complete(tx);
      });
    lanes.work<string>({ queue: 'chat', concurrency: 1, handle: ping('conversation') });
    lanes.work<string>({ queue: 'conversation', concurrency: 1, handle: ping('chat') });
    await add({ queue: 'chat', payload: 'ping' }, { queue: 'conversation', payload: 'ping' });
    await lanes.start();
    await lanes.onSettled(['chat', 'conversation']);
    expect(attempts).toEqual([1, 1, 1, 1]);
  });
});

describe('adding', () => {
  test('what the caller rolls back was never there', async () => {
    const undone = transaction(database.db, async (tx) => {
      await enqueue(tx, [{ queue: 'q', key: 'k', payload: 'never' }]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await add({ payload: 'after' });
    expect(await workAll()).toEqual(['after']);
  });

  test('a dedupe is not added a second time while the first waits or runs, and is free after it', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'one', dedupe: 'd' }, { payload: 'two', dedupe: 'd' });
    await add({ payload: 'three', dedupe: 'd', key: 'another' });
    await lanes.start();
    const first = await steps.next();
    await add({ payload: 'four', dedupe: 'd' });
    expect(await rows()).toHaveLength(1);
    first.done();
    await lanes.onSettled(['q']);
    await add({ payload: 'five', dedupe: 'd' });
    expect([first.job.payload, (await steps.next()).job.payload]).toEqual(['one', 'five']);
  });

  test('a job behind one that was not added again still runs', async () => {
    await add({ payload: 'known', dedupe: 'd', key: 'elsewhere' });
    await add({ payload: 'again', dedupe: 'd' }, { payload: 'behind' });
    expect((await workAll()).sort()).toEqual(['behind', 'known']);
  });

  test('twenty at once with one dedupe add one job', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => add({ payload: 'x', dedupe: 'd', key: `k${n % 3}` })),
    );
    expect(await workAll()).toEqual(['x']);
  });

  test('calls with the same keys in opposite orders do not deadlock', async () => {
    const there = ['a', 'b', 'c', 'd'].map((key) => ({ payload: key, key }));
    await Promise.all(Array.from({ length: 30 }, (_, n) => add(...(n % 2 ? there : there.toReversed()))));
    expect(await workAll()).toHaveLength(120);
  });

  test('a payload may hold anything that people type', async () => {
    const text = 'NUL \0, half a pair \ud800, "quotes", emoji 👩‍💻';
    await add({ payload: text });
    expect(await workAll()).toEqual([text]);
  });

  test('a worker hears of a new job at once', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await lanes.start();
    await lanes.onSettled(['q']);
    const started = performance.now();
    await add({ payload: 'now' });
    await steps.next();
    // Far below the interval of looking.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

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
    expect(parked?.reason).toMatch(/payload is not what q works on: not a number/);
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
    await sql`update job set parked_at = now() - interval '91 days' where key = 'old'`.execute(database.db);
    await add({ payload: 'waiting', delayMs: 1_000_000 });
    expect(await lanes.prune(90)).toBe(1);
    expect((await rows()).map((row) => row.key)).toEqual(['new', 'k']);
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

describe('completing in the handler’s own transaction', () => {
  const write = (lanes: Lanes<Tables>, job: Job<string>, fail?: Error) =>
    transaction(lanes.database.db, async (tx) => {
      await tx.insertInto('effect').values({ what: job.payload }).execute();
      await job.complete(tx);
      if (fail) throw fail;
    });

  test('the effect and the end of the job commit together, or neither does', async () => {
    const lanes = process();
    lanes.work<string>({
      queue: 'q',
      concurrency: 1,
      backoff: () => 0,
      handle: (job) => write(lanes, job, job.attempt === 1 ? new Error('undone') : undefined),
    });
    await add({ payload: 'a' }, { payload: 'b' });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(await effects()).toEqual(['a', 'b']);
    expect(await rows()).toEqual([]);
  });

  test('a handler that fails after its commit is not run again', async () => {
    const lanes = process();
    let runs = 0;
    lanes.work<string>({
      queue: 'q',
      concurrency: 1,
      backoff: () => 0,
      handle: async (job) => {
        runs++;
        await write(lanes, job);
        throw new Error('too late to matter');
      },
    });
    await add({ payload: 'a' });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(runs).toBe(1);
    expect(await rows()).toEqual([]);
  });

  test('a handler that swallows the failure of its transaction is run again', async () => {
    const lanes = process();
    lanes.work<string>({
      queue: 'q',
      concurrency: 1,
      backoff: () => 0,
      handle: (job) =>
        write(lanes, job, job.attempt === 1 ? new Error('undone') : undefined).catch(() => undefined),
    });
    await add({ payload: 'a' });
    await lanes.start();
    await lanes.onSettled(['q']);
    expect(await effects()).toEqual(['a']);
  });

  test('where the worker died between commit and moving on, another one moves the lane on', async () => {
    await add({ payload: 'committed' }, { payload: 'behind' });
    await sql`update job set state = 'done', worker = 'dead', fence = 1, attempts = 1, lease_until = now()
      where id = (select min(id) from job)`.execute(database.db);
    expect(await workAll()).toEqual(['behind']);
    expect(await rows()).toEqual([]);
  });
});

describe('leases', () => {
  test('the job of a worker that died is worked by another when its lease has run out', async () => {
    await add({ payload: 'left behind' }, { payload: 'next' });
    await sql`update job set state = 'running', worker = 'dead', fence = 1, attempts = 1,
      lease_until = now() + interval '300 milliseconds' where head`.execute(database.db);
    const lanes = process();
    const seen: string[] = [];
    lanes.work<string>({
      queue: 'q',
      concurrency: 1,
      handle: async (job) => void seen.push(`${job.payload} ${job.attempt}`),
    });
    await lanes.start();
    await expect.poll(rows, { timeout: 5_000 }).toEqual([]);
    expect(seen).toEqual(['left behind 2', 'next 1']);
  });

  test('a worker whose lease was taken over can neither complete nor finish the job, and is told', async () => {
    const steps = stepwise();
    const [slow, quick] = [process(), process()];
    slow.work<string>({ queue: 'q', concurrency: 1, leaseMs: 300, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' }, { payload: 'behind', delayMs: 1_000_000 });
    await slow.start();
    const first = await steps.next();
    // As if it had been suspended for longer than its lease.
    await sql`update job set lease_until = now(), fence = fence + 1, worker = 'other' where state = 'running'`.execute(
      database.db,
    );
    quick.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await quick.start();
    const second = await steps.next();
    expect(second.job.attempt).toBe(2);

    await expect(transaction(database.db, (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    await expect.poll(() => first.job.signal.aborted).toBe(true);
    expect(first.job.signal.reason).toBeInstanceOf(LeaseLost);
    first.done();
    await slow.stop();
    expect(await rows()).toHaveLength(2);

    await transaction(database.db, (tx) => second.job.complete(tx));
    second.done();
    await quick.onSettled(['q']);
    expect((await rows()).map((row) => row.payload)).toEqual(['behind']);
  });

  test('a claim that ran out is void also when the same worker took the job again', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await lanes.start();
    const first = await steps.next();
    await sql`update job set lease_until = now()`.execute(database.db);
    await add({ payload: 'wakes the worker', key: 'other', delayMs: 1_000_000 });
    const second = await steps.next();
    expect([first.job.attempt, second.job.attempt]).toEqual([1, 2]);
    await expect(transaction(database.db, (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    first.fail(new Error('too late'));
    await expect(transaction(database.db, (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    expect(await rows()).toMatchObject([{ state: 'running', attempts: 2 }, { state: 'ready' }]);
    second.done();
    await lanes.onSettled(['q']);
    expect(await rows()).toMatchObject([{ payload: 'wakes the worker' }]);
  });

  test('a handler that takes several leases long keeps its job', async () => {
    const steps = stepwise();
    const [lanes, rival] = [process(), process()];
    lanes.work<string>({ queue: 'q', concurrency: 1, leaseMs: 150, handle: (job) => steps.handle(job) });
    rival.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'long' });
    await lanes.start();
    const long = await steps.next();
    await rival.start();
    const leaseOf = async () => (await rows())[0]?.lease_until?.getTime() ?? 0;
    const first = await leaseOf();
    await expect.poll(leaseOf).toBeGreaterThan(first + 500);
    expect(steps.begun).toEqual([]);
    expect(long.job.signal.aborted).toBe(false);
    long.done();
    await lanes.onSettled(['q']);
    expect(await rows()).toEqual([]);
  });

  test('leases are renewed also while handlers have used the whole pool up', async () => {
    const steps = stepwise();
    const lanes = process({ poolSize: 1 });
    lanes.work<string>({ queue: 'q', concurrency: 1, leaseMs: 150, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await lanes.start();
    const step = await steps.next();
    await lanes.database.db.connection().execute(async () => {
      const leaseOf = async () => (await rows())[0]?.lease_until?.getTime() ?? 0;
      const first = await leaseOf();
      await expect.poll(leaseOf).toBeGreaterThan(first + 500);
      expect(step.job.signal.aborted).toBe(false);
    });
    step.done();
    await lanes.onSettled(['q']);
  });
});

describe('stopping', () => {
  test('what runs finishes within the grace, and nothing new is begun', async () => {
    const steps = stepwise();
    const lanes = process();
    lanes.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'running' }, { payload: 'next' });
    await lanes.start();
    const running = await steps.next();
    const stopped = lanes.stop();
    running.done();
    await stopped;
    expect(steps.begun).toEqual([]);
    expect(await rows()).toMatchObject([{ payload: 'next', state: 'ready', head: true }]);
  });

  test('what does not finish is told and given back, untouched, for another process to take at once', async () => {
    const steps = stepwise();
    const [leaving, staying] = [process(), process()];
    for (const lanes of [leaving, staying])
      lanes.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'heeds', key: 'a' }, { payload: 'ignores', key: 'b' });
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

  test('a job given back wakes a process that waits', async () => {
    const steps = stepwise();
    const [leaving, staying] = [process(), process()];
    for (const lanes of [leaving, staying])
      lanes.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await leaving.start();
    await steps.next();
    await staying.start();
    const before = performance.now();
    await leaving.stop(0);
    await steps.next();
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test('F11 start and stop may follow each other closely, and stop may be called twice', async () => {
    await add(...Array.from({ length: 20 }, (_, n) => ({ payload: String(n), key: String(n) })));
    for (let round = 0; round < 20; round++) {
      const lanes = process();
      lanes.work<string>({ queue: 'q', concurrency: 2, handle: async () => undefined });
      const starting = lanes.start();
      await lanes.stop();
      await starting;
      await lanes.stop();
    }
    expect((await rows()).every((row) => row.state === 'ready')).toBe(true);
    await workAll();
    expect(await rows()).toEqual([]);
  });
});

describe('a database that goes away', () => {
  test('and comes back: work goes on without a restart, each effect once, and new work is heard of at once', async () => {
    const lanes = process();
    const halfway = Promise.withResolvers<undefined>();
    const cut = Promise.withResolvers<undefined>();
    let runs = 0;
    lanes.work<string>({
      queue: 'q',
      concurrency: 4,
      backoff: () => 0,
      handle: async (job) => {
        if (++runs === 10) halfway.resolve(undefined);
        await transaction(lanes.database.db, async (tx) => {
          await tx.insertInto('effect').values({ what: job.payload }).execute();
          // One loses its connection between two statements of a transaction, when no query could be told.
          if (job.payload === '42') await cut.promise;
          await job.complete(tx);
        });
      },
    });
    const expected = Array.from({ length: 100 }, (_, n) => String(n));
    await add(...expected.map((payload, n) => ({ payload, key: `k${n % 7}` })));
    await lanes.start();
    await halfway.promise;
    await cutAllConnections();
    cut.resolve(undefined);
    // Those whose end could not be recorded wait for their lease; nobody else has them.
    await expect.poll(rows, { timeout: 15_000 }).toEqual([]);
    expect((await effects()).sort()).toEqual(expected.sort());

    // Told by the new listening connection: well before the next look.
    await expect.poll(listeners, { timeout: 10_000 }).toBe(1);
    const before = performance.now();
    await add({ payload: 'afterwards' });
    await expect.poll(rows, { timeout: 10_000 }).toEqual([]);
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  test('before it was ever there does not keep lanes from starting', async () => {
    const own = openDatabase<Tables>({
      url: url.replace(/(\/)[^/?]*(\?|$)/, '$1no_such_database$2'),
      schema: SCHEMA,
      log,
    });
    const lanes = createLanes<Tables>({ database: own, log });
    lanes.work<string>({ queue: 'q', concurrency: 1, handle: async () => undefined });
    await lanes.start();
    await lanes.stop();
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
        // The listening connection is the one that shows by a lock that its worker lives.
        `select 1 from pg_locks join pg_database d on d.oid = database where datname = current_database()
           and locktype = 'advisory' and mode = 'ShareLock' and granted`,
      ),
    );
    return found.length;
  }

  async function withAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  }
});
