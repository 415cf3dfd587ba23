import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { type ClaimedRow, type Jobs, NewClaims, RetryLater } from '../../src/platform/jobs/index.ts';
import { jobsSetup, stepwise, type Tables } from './jobs-setup.ts';

const { add, process, rows } = jobsSetup();

interface Added {
  payload: string;
  key?: string;
  delayMs?: number;
}

const enqueueing = (
  jobs: readonly Added[],
  takers: string | null,
): RawBuilder<{ claimed: ClaimedRow[] | null }> =>
  sql`select enqueue_jobs(${jobs.map(() => 'q')}, ${jobs.map(({ key, payload }) => key ?? payload)},
    ${jobs.map(() => null)}, ${jobs.map(({ payload }) => JSON.stringify(payload))},
    ${jobs.map(({ delayMs }) => delayMs ?? 0)}, ${takers}) as claimed`;

/** A worker, and a statement that adds jobs and lets it claim them; it resolves to the payloads of the claimed ones. */
function working(concurrency: number) {
  const claims = new NewClaims();
  const jobs = process({ claims });
  const steps = stepwise();
  jobs.work<string>({ queue: 'q', concurrency, handle: (job) => steps.handle(job) });
  const addClaiming = (...added: Added[]) =>
    claims.adding({ q: added.length }, async (takers) => {
      const claimed = await execute(jobs, added, takers);
      return { result: claimed.map(({ payload }) => payload), claimed };
    });
  return { claims, jobs, steps, addClaiming };
}

async function execute(jobs: Jobs<Tables>, added: readonly Added[], takers: string | null) {
  const { rows: answer } = await enqueueing(added, takers).execute(jobs.database.db);
  return answer[0]?.claimed ?? [];
}

describe('a statement that adds jobs claims those that may run at once', () => {
  test('as first attempts; what follows in the same key waits for its turn', async () => {
    const { jobs, steps, addClaiming } = working(4);
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(
      await addClaiming({ payload: 'a1', key: 'a' }, { payload: 'a2', key: 'a' }, { payload: 'b1' }),
    ).toEqual(['a1', 'b1']);
    const first = [await steps.next(), await steps.next()];
    expect(first.map(({ job }) => [job.payload, job.attempt, job.firstAttempt])).toEqual([
      ['a1', 1, true],
      ['b1', 1, true],
    ]);
    expect(steps.begun).toEqual([]);
    expect((await rows()).map(({ payload, state, fence }) => [payload, state, fence])).toEqual([
      ['a1', 'running', 1],
      ['a2', 'ready', 0],
      ['b1', 'running', 1],
    ]);
    for (const step of first) step.done();
    const then = await steps.next();
    expect(then.job.payload).toBe('a2');
    then.done();
    await jobs.onSettled(['q']);
    expect(await rows()).toEqual([]);
  });

  test('with what it read for them; a second attempt reads for itself', async () => {
    const { claims, jobs, steps } = working(4);
    await jobs.start();
    await jobs.onSettled(['q']);
    await claims.adding({ q: 1 }, async (takers) => {
      const claimed = await execute(jobs, [{ payload: 'a' }], takers);
      return { result: undefined, claimed: claimed.map((row) => ({ ...row, prefetched: 'read' })) };
    });
    const first = await steps.next();
    expect(first.job.prefetched).toBe('read');
    first.fail(new RetryLater('once more', { afterMs: 0 }));
    const second = await steps.next();
    expect([second.job.attempt, second.job.prefetched]).toEqual([2, undefined]);
    second.done();
    await jobs.onSettled(['q']);
  });

  test('not behind a job of its key that has not ended, and not before it is due', async () => {
    const { jobs, steps, addClaiming } = working(4);
    await add({ payload: 'a1', orderingKey: 'a' });
    await jobs.start();
    const before = await steps.next();
    expect(await addClaiming({ payload: 'a2', key: 'a' }, { payload: 'later', delayMs: 30 })).toEqual([]);
    // The notification says when it is due: the worker looks for work by itself only every five seconds.
    const later = await steps.next();
    expect(later.job.payload).toBe('later');
    later.done();
    before.done();
    const then = await steps.next();
    expect(then.job.payload).toBe('a2');
    then.done();
    await jobs.onSettled(['q']);
  });

  test('no more than the worker has places; the others run when one is free', async () => {
    const { jobs, steps, addClaiming } = working(2);
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(await addClaiming({ payload: 'a' }, { payload: 'b' }, { payload: 'c' })).toEqual(['a', 'b']);
    expect(await addClaiming({ payload: 'd' })).toEqual([]);
    const running = [await steps.next(), await steps.next()];
    expect(steps.begun).toEqual([]);
    for (const step of running) step.done();
    const then = [await steps.next(), await steps.next()];
    expect(then.map(({ job }) => job.payload)).toEqual(['c', 'd']);
    for (const step of then) step.done();
    await jobs.onSettled(['q']);
  });

  test('a claim whose answer was lost is found and run, long before its lease ends', async () => {
    const { claims, jobs, steps } = working(2);
    await jobs.start();
    await jobs.onSettled(['q']);
    const lost = claims.adding({ q: 1 }, async (takers) => {
      await execute(jobs, [{ payload: 'a' }], takers);
      throw new Error('the connection was cut');
    });
    await expect(lost).rejects.toThrow('the connection was cut');
    const step = await steps.next();
    expect([step.job.payload, step.job.firstAttempt]).toEqual(['a', false]);
    step.done();
    await jobs.onSettled(['q']);
    expect(await rows()).toEqual([]);
  });

  test('a claim that is being made while another one is looked for is not taken for a lost one', async () => {
    const { claims, jobs, steps } = working(4);
    await jobs.start();
    await jobs.onSettled(['q']);
    const answered = Promise.withResolvers<undefined>();
    const committed = Promise.withResolvers<undefined>();
    const slow = claims.adding({ q: 1 }, async (takers) => {
      const claimed = await execute(jobs, [{ payload: 'slow' }], takers);
      committed.resolve(undefined);
      await answered.promise;
      return { result: undefined, claimed };
    });
    await committed.promise;
    const lost = claims.adding({ q: 1 }, async (takers) => {
      await execute(jobs, [{ payload: 'lost' }], takers);
      throw new Error('the connection was cut');
    });
    await expect(lost).rejects.toThrow('the connection was cut');
    // A job that comes by a fetch: the worker has looked for work since.
    await add({ payload: 'fetched', orderingKey: 'other' });
    const fetched = await steps.next();
    expect(fetched.job.payload).toBe('fetched');
    answered.resolve(undefined);
    await slow;
    const both = [await steps.next(), await steps.next()];
    expect(both.map(({ job }) => [job.payload, job.firstAttempt])).toEqual([
      ['slow', true],
      ['lost', false],
    ]);
    for (const step of [fetched, ...both]) step.done();
    await jobs.onSettled(['q']);
  });

  test('a worker that stops claims nothing, and gives back what was just being claimed', async () => {
    const { claims, jobs, addClaiming } = working(2);
    await jobs.start();
    await jobs.onSettled(['q']);
    const answered = Promise.withResolvers<undefined>();
    const committed = Promise.withResolvers<undefined>();
    const late = claims.adding({ q: 1 }, async (takers) => {
      const claimed = await execute(jobs, [{ payload: 'a' }], takers);
      committed.resolve(undefined);
      await answered.promise;
      return { result: undefined, claimed };
    });
    await committed.promise;
    const stopped = jobs.stop(1_000);
    expect(await addClaiming({ payload: 'b' })).toEqual([]);
    answered.resolve(undefined);
    await late;
    await stopped;
    const next = working(2);
    await next.jobs.start();
    const steps = [await next.steps.next(), await next.steps.next()];
    expect(steps.map(({ job }) => job.payload).toSorted()).toEqual(['a', 'b']);
    for (const step of steps) step.done();
    await next.jobs.onSettled(['q']);
  });
});
