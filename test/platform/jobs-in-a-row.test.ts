import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import {
  completedBy,
  type EndedRow,
  type Ending,
  endingRow,
  type Job,
  type Jobs,
} from '../../src/platform/jobs/index.ts';
import { jobsSetup, stepwise, type Tables } from './jobs-setup.ts';

const { add, process, rows } = jobsSetup();

/** Calls `end_jobs`. */
const endJobs = (endings: readonly Ending[]) => sql<EndedRow & { id: number }>`
  select * from end_jobs(array(
    select e from json_populate_recordset(null::job_ending, ${JSON.stringify(endings.map(endingRow))}) as e))`;

/** Ends a job with a separate statement, in which the worker may claim the next one of its key. */
const endBy = async (jobs: Jobs<Tables>, ending: Ending) => {
  const { rows: ended } = await endJobs([ending]).execute(jobs.database.db);
  return completedBy(ending, ended[0]);
};
const end = (jobs: Jobs<Tables>, job: Job<string>) => job.completeWith((ending) => endBy(jobs, ending));

/** A worker that ends each job this way, and the jobs in the order in which it ran them. */
function working(concurrency: number) {
  const jobs = process();
  const seen: Job<string>[] = [];
  jobs.work<string>({
    queue: 'q',
    concurrency,
    handle: async (job) => {
      seen.push(job);
      await end(jobs, job);
    },
  });
  return { jobs, seen };
}

describe('claiming the next job of an ordering key with the end of the one before', () => {
  test('keeps their order, runs each once, as a first attempt', async () => {
    const { jobs, seen } = working(4);
    const all = Array.from({ length: 50 }, (_, n) => ({ payload: String(n) }));
    await add(...all);
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen.map((job) => [job.payload, job.attempt, job.firstAttempt])).toEqual(
      all.map(({ payload }) => [payload, 1, true]),
    );
    expect(await rows()).toEqual([]);
  });

  test('leaves a place that opens meanwhile to other keys, before the worker polls', async () => {
    const steps = stepwise();
    const jobs = process();
    const begun: string[] = [];
    jobs.work<string>({
      queue: 'q',
      concurrency: 2,
      startsWith: 1,
      handle: async (job) => {
        begun.push(job.payload);
        await steps.handle(job);
        await end(jobs, job);
      },
    });
    await add(...Array.from({ length: 12 }, () => ({ payload: 'a', orderingKey: 'a' })), {
      payload: 'b',
      orderingKey: 'b',
    });
    await jobs.start();
    for (let ended = 0; ended < 10; ended++) (await steps.next()).done();
    await expect.poll(() => begun.slice(10).sort(), { timeout: 4_000 }).toEqual(['a', 'b']);
    for (let left = 0; left < 3; left++) (await steps.next()).done();
    await jobs.onSettled(['q']);
  });

  test('works for several jobs that end together, each followed by the next of its own key', async () => {
    const jobs = process();
    const steps = stepwise();
    jobs.work<string>({ queue: 'q', concurrency: 2, handle: (job) => steps.handle(job) });
    await add(
      { payload: 'a1', orderingKey: 'a' },
      { payload: 'b1', orderingKey: 'b' },
      { payload: 'a2', orderingKey: 'a' },
      { payload: 'b2', orderingKey: 'b' },
    );
    await jobs.start();
    const first = [await steps.next(), await steps.next()];
    const endings: Ending[] = [];
    const given = Promise.withResolvers<EndedRow[]>();
    const both = first.map(({ job }, place) =>
      job.completeWith(async (ending) => {
        endings[place] = ending;
        if (endings.length === 2 && endings[0] && endings[1])
          await endJobs(endings)
            .execute(jobs.database.db)
            .then((done) =>
              given.resolve(endings.map(({ id }) => done.rows.find((row) => row.id === id) as EndedRow)),
            );
        return completedBy(ending, (await given.promise)[place]);
      }),
    );
    await Promise.all(both);
    for (const step of first) step.done();
    const second = [await steps.next(), await steps.next()];
    expect(second.map(({ job }) => [job.orderingKey, job.payload])).toEqual(
      first.map(({ job }) => [job.orderingKey, job.payload.replace('1', '2')]),
    );
    expect(await rows()).toMatchObject([
      { state: 'running', attempts: 1, fence: 1 },
      { state: 'running', attempts: 1, fence: 1 },
    ]);
    for (const step of second) step.done();
    await jobs.onSettled(['q']);
  });

  test('does not claim a job before it is due', async () => {
    const { jobs, seen } = working(1);
    await add({ payload: 'now' }, { payload: 'later', delayMs: 1_000_000 });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen.map(({ payload }) => payload)).toEqual(['now']);
    expect(await rows()).toMatchObject([{ payload: 'later', state: 'ready', head: true, attempts: 0 }]);
  });

  test('lets waiting jobs of other keys run in between', async () => {
    const { jobs, seen } = working(1);
    await add({ payload: 'first' }, { payload: 'other', orderingKey: 'other' });
    await add(...Array.from({ length: 59 }, (_, n) => ({ payload: String(n) })));
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen.length).toBe(61);
    expect(seen.findIndex(({ payload }) => payload === 'other')).toBeLessThan(25);
  });

  test('leaves the next job to other processes if its own is stopping', async () => {
    const [leaving, staying] = [process(), process()];
    const steps = stepwise();
    leaving.work<string>({ queue: 'q', concurrency: 1, handle: (job) => steps.handle(job) });
    await add({ payload: 'a' }, { payload: 'b' });
    await leaving.start();
    const step = await steps.next();
    const stopped = Promise.withResolvers<undefined>();
    const claims: unknown[] = [];
    await step.job.completeWith(async (ending) => {
      const ended = await endBy(leaving, ending);
      claims.push(await rows());
      // The process stops while the result, with the claim of the next job, is on its way.
      void leaving.stop().then(() => stopped.resolve(undefined));
      return ended;
    });
    step.done();
    await stopped.promise;
    expect(claims).toMatchObject([[{ payload: 'b', state: 'running' }]]);
    expect(steps.begun).toEqual([]);
    expect(await rows()).toMatchObject([{ payload: 'b', state: 'ready', head: true, attempts: 0 }]);
    staying.work<string>({ queue: 'q', concurrency: 1, handle: (one) => steps.handle(one) });
    await staying.start();
    const next = await steps.next();
    expect([next.job.payload, next.job.attempt]).toEqual(['b', 1]);
    next.done();
    await staying.onSettled(['q']);
  });

  test('runs the next job even if the result is lost', async () => {
    const jobs = process();
    const seen: [string, number][] = [];
    jobs.work<string>({
      queue: 'q',
      concurrency: 1,
      handle: async (job) => {
        seen.push([job.payload, job.attempt]);
        await job.completeWith(async (ending) => {
          const ended = await endBy(jobs, ending);
          if (job.payload === 'a') throw new Error('the connection is lost');
          return ended;
        });
      },
    });
    await add({ payload: 'a' }, { payload: 'b' });
    await jobs.start();
    await jobs.onSettled(['q']);
    expect(seen).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(await rows()).toEqual([]);
  });
});
