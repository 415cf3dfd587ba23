import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { afterEach, expect, test } from 'vitest';

import { migrate, migration } from '../../src/platform/database/migrate.ts';
import { openDatabase, transaction } from '../../src/platform/database/open.ts';
import { enqueue, JOBS_SQL } from '../../src/platform/jobs/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase } from '../harness/database.ts';
import { seeded } from '../harness/seeded.ts';
import { SEED } from './drill.ts';
import { type CrashTables, SCHEMA, type Step, STEPS } from './harness/jobs-story.ts';

const KEYS = 40;
const JOBS_PER_KEY = 12;
const WORKERS = 4;
const QUEUES = ['once', 'atLeastOnce'] as const;
const JOBS = QUEUES.length * KEYS * JOBS_PER_KEY;

const log = createLog({ level: 'silent', pretty: false });
const children = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all([...children].map((child) => once(child, 'exit')));
});

async function worker(url: string, death?: { step: Step; count: number }): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, 'harness/jobs-worker.ts');
  const plan = death ? [death.step, String(death.count)] : [];
  const child = spawn(process.execPath, [program, url, ...plan], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const exited = once(child, 'exit');
  // Whether or not it lives long enough to report it.
  await Promise.race([once(child.stdout, 'data'), exited]);
  return child;
}

test('workers killed at any step of a job lose nothing, repeat no completed effect and keep every ordering key in order', async () => {
  const random = seeded(SEED);
  const { url } = await createTestDatabase('jobs crash');
  const database = openDatabase<CrashTables>({ url, schema: SCHEMA, log });
  try {
    await migrate(database, [
      migration('0001', JOBS_SQL),
      {
        name: '0002-effects',
        sql: 'create table effect (id bigint generated always as identity, queue text, key text, n int)',
      },
    ]);
    const add = async (from: number, to: number) => {
      // Several keys, and several jobs of each, in one transaction.
      for (let keyNo = 0; keyNo < KEYS; keyNo += 8)
        await transaction(database.db, (tx) =>
          enqueue(
            tx,
            QUEUES.flatMap((queue) =>
              Array.from({ length: 8 }, (_unused, offset) => `key${keyNo + offset}`).flatMap((key) =>
                Array.from({ length: to - from }, (_unused, n) => ({
                  queue,
                  orderingKey: key,
                  payload: { key, n: from + n },
                })),
              ),
            ),
          ),
        );
    };
    await add(0, JOBS_PER_KEY / 2);

    const started = performance.now();
    const deaths = STEPS.map((step) => ({ step, count: 1 + Math.floor(random() * 30) }));
    const mortal = await Promise.all(deaths.map((death) => worker(url, death)));
    // A dead worker is replaced. One that starts slowly may find no jobs left to die at.
    let killed = 0;
    const replacements = mortal.map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      if (child.signalCode !== 'SIGKILL') return;
      killed++;
      await worker(url);
    });
    // Added while workers run and die.
    await add(JOBS_PER_KEY / 2, JOBS_PER_KEY);
    await expect
      .poll(() => database.db.selectFrom('job').selectAll().execute(), { interval: 100 })
      .toEqual([]);
    const seconds = (performance.now() - started) / 1000;

    const effects = await database.db.selectFrom('effect').selectAll().orderBy('id').execute();
    const keys = Map.groupBy(effects, ({ queue, key }) => `${queue} ${key}`);
    const missing: string[] = [];
    const disordered: string[] = [];
    let repeats = 0;
    for (const queue of QUEUES)
      for (let keyNo = 0; keyNo < KEYS; keyNo++) {
        const name = `${queue} key${keyNo}`;
        const seen = (keys.get(name) ?? []).map(({ n }) => n);
        const distinct = [...new Set(seen)];
        if (distinct.length !== JOBS_PER_KEY) missing.push(name);
        if (seen.some((n, at) => n < (seen[at - 1] ?? 0))) disordered.push(`${name}: ${seen.join(' ')}`);
        if (queue === 'once') expect(seen, name).toHaveLength(distinct.length);
        repeats += seen.length - distinct.length;
      }
    console.info(
      `jobs-crash: seed ${SEED}, ${JOBS} jobs with ${2 * KEYS} ordering keys, ${killed} of ${WORKERS} processes killed, at ` +
        `${deaths.map(({ step, count }) => `${step} ${count}`).join(', ')}: ${missing.length} keys with losses, ` +
        `${disordered.length} out of order, ${repeats} repeats (allowed without complete()), ` +
        `${seconds.toFixed(1)} s with the wait for leases`,
    );
    expect(missing).toEqual([]);
    expect(disordered).toEqual([]);

    expect(killed).toBeGreaterThanOrEqual(WORKERS / 2);

    // The remaining workers stop.
    const leaving = [...children].map((child) => {
      const exited = once(child, 'exit');
      child.stdin?.end();
      return exited;
    });
    for (const exit of await Promise.all(leaving)) expect(exit).toEqual([0, null]);
    await Promise.all(replacements);
  } finally {
    await database.close();
  }
});
