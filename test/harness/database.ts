import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

import { databaseErrorCode } from '../../src/platform/database/open.ts';

export interface TestDatabase {
  url: string;
  /** Ends every connection to it and drops it. Done by itself when the test has passed. */
  drop(): Promise<void>;
}

/** Postgres cuts longer names off (NAMEDATALEN), which would make two of them one. */
const NAME_LIMIT = 63;
/** Copies files instead of writing every page to the log: several times quicker for a small database. */
const COPY = 'strategy file_copy';
const TEST_PREFIX = 'test_';
const UNFINISHED = '_unfinished';
const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

let made = 0;

/**
 * An empty database of its own for the running test, named after `name`. Dropped when the test has passed; kept,
 * with its name printed, when it failed. Outside a test (in a `beforeAll`) it is the caller's to drop.
 */
export async function createTestDatabase(name = 'empty'): Promise<TestDatabase> {
  return create(name, COPY);
}

/**
 * A copy of a database that `migrateFn` built: once per run and `key`, whichever worker comes first; the others wait
 * for it. A copy takes some 15 ms, however many tables there are. Otherwise as `createTestDatabase`.
 */
export async function migratedDatabase(
  key: string,
  migrateFn: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const template = databaseName('template', key);
  await buildTemplate(template, migrateFn);
  return create(key, `template ${pg.escapeIdentifier(template)} ${COPY}`);
}

const built = new Map<string, Promise<void>>();

function buildTemplate(template: string, migrateFn: (url: string) => Promise<void>): Promise<void> {
  let building = built.get(template);
  if (!building) {
    building = admin(async (client) => {
      // Held until this connection ends, so until the template is complete.
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
      const found = await client.query('select 1 from pg_database where datname = $1', [template]);
      if (found.rowCount) return;
      const unfinished = template + UNFINISHED;
      await client.query(`drop database if exists ${pg.escapeIdentifier(unfinished)} with (force)`);
      await createDatabase(client, unfinished, COPY);
      await migrateFn(urlOf(unfinished));
      // A template must have no connections; a pool that was just closed may still be on its way out.
      await endConnections(client, unfinished);
      await client.query(
        `alter database ${pg.escapeIdentifier(unfinished)} rename to ${pg.escapeIdentifier(template)}`,
      );
    });
    built.set(template, building);
  }
  return building;
}

async function create(label: string, options: string): Promise<TestDatabase> {
  const name = databaseName(label, `${process.env.VITEST_WORKER_ID ?? '0'}_${process.pid}_${++made}`);
  await admin((client) => createDatabase(client, name, options));
  const drop = () =>
    admin(async (client) => {
      await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    });
  dropWhenPassed(name, drop);
  return { url: urlOf(name), drop };
}

function dropWhenPassed(name: string, drop: () => Promise<void>): void {
  try {
    onTestFinished(async ({ task }) => {
      // The embedded cluster goes with its run: to look inside afterwards, run with TEST_DATABASE_URL.
      if (task.result?.state === 'fail') console.info(`kept the database of the failed test: ${name}`);
      else await drop();
    });
  } catch {
    // Not inside a test: the caller drops it.
  }
}

async function createDatabase(client: pg.Client, name: string, options: string): Promise<void> {
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)} ${options}`);
  } catch (error) {
    const code = databaseErrorCode(error);
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
    throw new Error(`two tests made the database ${name}`, { cause: error });
  }
}

async function endConnections(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
    name,
  ]);
}

async function admin<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function databaseName(label: string, unique: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const suffix = `_${inject('runName')}_${plain(unique)}`;
  const room = NAME_LIMIT - TEST_PREFIX.length - suffix.length - UNFINISHED.length;
  return `${TEST_PREFIX}${plain(label).slice(0, Math.max(room, 0))}${suffix}`;
}

function urlOf(name: string): string {
  return inject('adminUrl').replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}
