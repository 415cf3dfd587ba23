import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { transaction } from '../../src/platform/database/open.ts';
import { type Completed, enqueue, type Job, type Jobs, LeaseLost } from '../../src/platform/jobs/index.ts';
import { jobsSetup, stepwise, type Tables } from './jobs-setup.ts';

const { add, db, effects, process, rows, workAll } = jobsSetup();

type Completing = 'complete' | 'completeLast';

const write = (jobs: Jobs<Tables>, job: Job<string>, how: Completing, fail?: Error) =>
  transaction(jobs.database.db, async (tx) => {
    await tx.insertInto('effect').values({ what: job.payload }).execute();
    await job[how](tx);
    if (fail) throw fail;
  });

describe.each<Completing>(['complete', 'completeLast'])('%s in the handler’s own transaction', (how) => {
  test('the effect and the end of the job commit together, or neither does', async () => {
    const jobs = process();
    jobs.work<string>({
      queue: 'q',
      concurrency: 1,
      backoff: () => 0,
      handle: (job) => write(jobs, job, how, job.attempt === 1 ? new Error('undone') : undefined),
    });
    await add({ payload: 'a' }, { payload: 'b' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(await effects()).toEqual(['a', 'b']);
    expect(await rows()).toEqual([]);
  });

  test('a handler that fails after its commit is not run again', async () => {
    const jobs = process();
    let runs = 0;
    jobs.work<string>({
      queue: 'q',
      concurrency: 1,
      backoff: () => 0,
      handle: async (job) => {
        runs++;
        await write(jobs, job, how);
        throw new Error('too late to matter');
      },
    });
    await add({ payload: 'a' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(runs).toBe(1);
    expect(await rows()).toEqual([]);
  });

  test('a handler that swallows the failure of its transaction is run again', async () => {
    const jobs = process();
    jobs.work<string>({
      queue: 'q',
      concurrency: 1,
      leaseMs: 300,
      backoff: () => 0,
      handle: (job) =>
        write(jobs, job, how, job.attempt === 1 ? new Error('undone') : undefined).catch(() => undefined),
    });
    await add({ payload: 'a' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(await effects()).toEqual(['a']);
  });
});

describe('the end of a job', () => {
  test('moves its ordering key on in the same transaction, and does not wait for transactions that add to that key', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'first' }, { payload: 'second' });
    await jobs.start();
    const first = await steps.next();
    await transaction(db(), (tx) => first.job.completeLast(tx));
    expect(await rows()).toMatchObject([{ payload: 'second', head: true, state: 'ready' }]);
    first.done();
    const second = await steps.next();
    await transaction(db(), async (adding) => {
      await enqueue(adding, [{ queue: 'q', orderingKey: 'k', payload: 'third' }]);
      await transaction(db(), (tx) => second.job.completeLast(tx));
      expect(await rows()).toMatchObject([{ payload: 'second', head: true, state: 'done' }]);
    });
    second.done();
    (await steps.next()).done();
    await jobs.onSettled(['q']);
    expect(await rows()).toEqual([]);
  });

  test('two transactions that each end a job and add to the ordering key of the other’s job both commit', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'a', orderingKey: 'a' }, { payload: 'b', orderingKey: 'b' });
    await jobs.start();
    const one = await steps.next();
    const other = await steps.next();
    const added = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let tries = 0;
    const cross = ({ job }: typeof one, key: string, turn: number) =>
      transaction(db(), async (tx) => {
        tries += 1;
        await enqueue(tx, [{ queue: 'q', orderingKey: key, payload: `to ${key}`, delayMs: 1_000_000 }]);
        added[turn]?.resolve(undefined);
        await Promise.all(added.map(({ promise }) => promise));
        await job.completeLast(tx);
      });
    await Promise.all([cross(one, other.job.orderingKey, 0), cross(other, one.job.orderingKey, 1)]);
    // A deadlock would be retried and so be hidden.
    expect(tries).toBe(2);
    one.done();
    other.done();
    await jobs.onSettled(['q']);
    expect(await rows()).toMatchObject([{ head: true }, { head: true }]);
  });

  test('if a worker died between the commit and moving on, another one moves the ordering key on', async () => {
    await add({ payload: 'committed' }, { payload: 'behind' });
    await sql`update job set state = 'done', worker = 'dead', fence = 1, attempts = 1, lease_until = now()
      where id = (select min(id) from job)`.execute(db());
    expect(await workAll()).toEqual(['behind']);
    expect(await rows()).toEqual([]);
  });
});

describe('leases', () => {
  test('another worker runs the job of a dead worker when its lease has expired', async () => {
    await add({ payload: 'left behind' }, { payload: 'next' });
    await sql`update job set state = 'running', worker = 'dead', fence = 1, attempts = 1,
      lease_until = now() + interval '300 milliseconds' where head`.execute(db());
    const jobs = process();
    const seen: string[] = [];
    jobs.work<string>({
      queue: 'q',
      concurrency: 1,
      handle: async (job) => void seen.push(`${job.payload} ${job.attempt}`),
    });
    await jobs.start();
    await expect.poll(rows).toEqual([]);
    expect(seen).toEqual(['left behind 2', 'next 1']);
  });

  test('a worker that lost its lease can neither complete nor finish the job, and its signal is aborted', async () => {
    const steps = stepwise();
    const [slow, quick] = [process(), process()];
    slow.work<string>({ queue: 'q', concurrency: 1, leaseMs: 300, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' }, { payload: 'behind', delayMs: 1_000_000 });
    await slow.start();
    const first = await steps.next();
    // Simulates a pause longer than the lease.
    await sql`update job set lease_until = now(), fence = fence + 1, worker = 'other' where state = 'running'`.execute(
      db(),
    );
    quick.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await quick.start();
    const second = await steps.next();
    expect(second.job.attempt).toBe(2);

    await expect(transaction(db(), (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    await expect(transaction(db(), (tx) => first.job.completeLast(tx))).rejects.toThrow(LeaseLost);
    await expect.poll(() => first.job.signal.aborted).toBe(true);
    expect(first.job.signal.reason).toBeInstanceOf(LeaseLost);
    first.done();
    await slow.stop();
    expect(await rows()).toHaveLength(2);

    await transaction(db(), (tx) => second.job.complete(tx));
    second.done();
    await quick.onSettled(['q']);
    expect((await rows()).map((row) => row.payload)).toEqual(['behind']);
  });

  test('a statement that ends the job takes effect once, and only with the claim', async () => {
    const steps = stepwise();
    const [slow, quick] = [process(), process()];
    const endBy = (job: Job<string>) =>
      job.completeWith(async ({ id, worker, fence, queue, orderingKey }) => {
        const { rows: ended } = await sql<{ ended: Completed }>`
          with written as (insert into effect (what) values (${`by fence ${fence}`}))
          select end_job(${id}, ${worker}, ${fence}, ${queue}, ${orderingKey}) as ended`.execute(db());
        return ended[0]?.ended;
      });
    slow.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' }, { payload: 'behind', delayMs: 1_000_000 });
    await slow.start();
    const first = await steps.next();
    await sql`update job set lease_until = now(), fence = fence + 1, worker = 'other' where state = 'running'`.execute(
      db(),
    );
    quick.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await quick.start();
    const second = await steps.next();
    await expect(endBy(first.job)).rejects.toThrow(LeaseLost);
    expect(await endBy(second.job)).toBe(true);
    first.done();
    second.done();
    await quick.onSettled(['q']);
    expect(await effects()).toEqual(['by fence 3']);
    expect((await rows()).map((row) => row.payload)).toEqual(['behind']);
  });

  test('an expired claim stays invalid when the same worker claims the job again', async () => {
    const steps = stepwise();
    const jobs = process();
    jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await jobs.start();
    const first = await steps.next();
    await sql`update job set lease_until = now()`.execute(db());
    await add({ payload: 'wakes the worker', orderingKey: 'other', delayMs: 1_000_000 });
    const second = await steps.next();
    expect([first.job.attempt, second.job.attempt]).toEqual([1, 2]);
    await expect(transaction(db(), (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    first.fail(new Error('too late'));
    await expect(transaction(db(), (tx) => first.job.complete(tx))).rejects.toThrow(LeaseLost);
    expect(await rows()).toMatchObject([{ state: 'running', attempts: 2 }, { state: 'ready' }]);
    second.done();
    await jobs.onSettled(['q']);
    expect(await rows()).toMatchObject([{ payload: 'wakes the worker' }]);
  });

  test('a handler that runs for several leases keeps its job', async () => {
    const steps = stepwise();
    const [jobs, rival] = [process(), process()];
    jobs.work<string>({ queue: 'q', concurrency: 1, leaseMs: 1_000, handle: (job) => steps.handle(job) });
    rival.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'long' });
    await jobs.start();
    const long = await steps.next();
    await rival.start();
    const leaseOf = async () => (await rows())[0]?.lease_until?.getTime() ?? 0;
    const first = await leaseOf();
    await expect.poll(leaseOf).toBeGreaterThan(first + 2_000);
    expect(steps.begun).toEqual([]);
    expect(long.job.signal.aborted).toBe(false);
    long.done();
    await jobs.onSettled(['q']);
    expect(await rows()).toEqual([]);
  });

  test('leases are renewed even while handlers use the whole pool', async () => {
    const steps = stepwise();
    const jobs = process({ poolSize: 1 });
    jobs.work<string>({ queue: 'q', concurrency: 1, leaseMs: 1_000, handle: (job) => steps.handle(job) });
    await add({ payload: 'x' });
    await jobs.start();
    const step = await steps.next();
    await jobs.database.db.connection().execute(async () => {
      const leaseOf = async () => (await rows())[0]?.lease_until?.getTime() ?? 0;
      const first = await leaseOf();
      await expect.poll(leaseOf).toBeGreaterThan(first + 2_000);
      expect(step.job.signal.aborted).toBe(false);
    });
    step.done();
    await jobs.onSettled(['q']);
  });
});
