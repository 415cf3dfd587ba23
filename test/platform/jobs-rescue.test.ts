import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { migrate, migration } from '../../src/platform/database/migrate.ts';
import { type Database, openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createJobs, enqueue, JOBS_SQL, type JobTables } from '../../src/platform/jobs/index.ts';
import { freeUnknown, rescue } from '../../src/platform/jobs/rescue.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
let url: string;

function room(): Database<JobTables> {
  const database = openDatabase<JobTables>({ url, schema: 'room', log, poolSize: 3 });
  onTestFinished(() => database.close());
  return database;
}

beforeEach(async () => {
  ({ url } = await migratedDatabase('jobs-rescue', async (fresh) => {
    const database = openDatabase<JobTables>({ url: fresh, schema: 'room', log });
    await migrate(database, [migration('0001', JOBS_SQL)]);
    await database.close();
  }));
});

/** A job that a worker of this name has claimed for an hour. */
async function claimedBy(worker: string, database: Database<JobTables>): Promise<void> {
  await transaction(database.db, (tx) => enqueue(tx, [{ queue: 'q', orderingKey: 'k', payload: 'p' }]));
  await sql`update job set state = 'running', worker = ${worker}, fence = 1, attempts = 1,
    lease_until = clock_timestamp() + interval '1 hour'`.execute(database.db);
}

const leased = async ({ db }: Database<JobTables>) =>
  (
    await sql<{
      leased: boolean;
    }>`select bool_and(lease_until > clock_timestamp()) as leased from job`.execute(db)
  ).rows[0]?.leased;

describe('a dead worker', () => {
  test('leaves its job to another at once, however long its lease', async () => {
    const database = room();
    await claimedBy('ghost', database);
    const jobs = createJobs({ database: room(), log });
    const worked = Promise.withResolvers<number>();
    jobs.work({ queue: 'q', concurrency: 1, handle: async (job) => worked.resolve(job.attempt) });
    await jobs.start();
    onTestFinished(() => jobs.stop(0));
    expect(await worked.promise).toBe(2);
  });

  test('counts as dead only after the second check', async () => {
    const database = room();
    await claimedBy('ghost', database);
    const suspects = await rescue(database.pool, 'me', new Set());
    expect([...suspects]).toEqual(['ghost']);
    expect(await leased(database)).toBe(true);
    await rescue(database.pool, 'me', suspects);
    expect(await leased(database)).toBe(false);
  });

  test('is distinguished from a living one: a started worker keeps its claims', async () => {
    const database = room();
    await claimedBy('alive', database);
    const jobs = createJobs({ database: room(), log, workerId: 'alive' });
    await jobs.start();
    onTestFinished(() => jobs.stop(0));
    expect(await rescue(database.pool, 'me', new Set(['alive']))).toEqual(new Set());
    expect(await leased(database)).toBe(true);
  });
});

describe('a claim made while the database went down, whose result was lost', () => {
  test('its job runs as soon as the database is back, by the worker named in the claim', async () => {
    const database = room();
    const { db } = database;
    await claimedBy('me', database);
    await sql`alter table job rename to job_away`.execute(db);
    const failed = Promise.withResolvers<undefined>();
    const destination = { write: () => failed.resolve(undefined) };
    const jobs = createJobs({
      database: room(),
      log: createLog({ level: 'warn', pretty: false, destination }),
      workerId: 'me',
    });
    const worked = Promise.withResolvers<number>();
    jobs.work({ queue: 'q', concurrency: 1, handle: async (job) => worked.resolve(job.attempt) });
    await jobs.start();
    onTestFinished(() => jobs.stop(0));
    await failed.promise;
    await sql`alter table job_away rename to job`.execute(db);
    expect(await worked.promise).toBe(2);
  });

  test('is distinguished from running claims, and from those of other workers', async () => {
    const database = room();
    await claimedBy('me', database);
    const { ordering_key: key } = await database.db
      .selectFrom('job')
      .select('ordering_key')
      .executeTakeFirstOrThrow();
    expect(await freeUnknown(database.pool, 'q', 'me', [key])).toBe(0);
    expect(await freeUnknown(database.pool, 'q', 'another', [])).toBe(0);
    expect(await freeUnknown(database.pool, 'another', 'me', [])).toBe(0);
    expect(await leased(database)).toBe(true);
    expect(await freeUnknown(database.pool, 'q', 'me', [])).toBe(1);
    expect(await leased(database)).toBe(false);
  });
});
