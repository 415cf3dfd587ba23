import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

import { databaseErrorCode } from '../../src/platform/database/open.ts';
import { saveTemplateRows, Reusable } from './reset.ts';

export interface TestDatabase {
  url: string;
  /** Drops it before the end of the test. */
  drop(): Promise<void>;
}

/** Milliseconds for which a statement of a test waits for a connection: a busy machine takes its time. */
export const CONNECTION_WAIT_MS = 30_000;
/** Postgres truncates longer names (NAMEDATALEN), which could make two names equal. */
const NAME_LIMIT = 63;
/** Copies files instead of writing every page to the log: several times faster for a small database. */
const COPY = 'strategy file_copy';
const TEST_PREFIX = 'test_';
/** The prefix of pooled copies, after the test prefix; the end of the run drops them (cluster.ts). */
const POOL = 'pool_';
const UNFINISHED = '_unfinished';
const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

let created = 0;

/**
 * An empty database for the running test, named after `name`. Dropped when the test has passed; kept, with
 * its name printed, when it failed. Outside a test (in a `beforeAll`) the caller drops it.
 */
export async function createTestDatabase(name = 'empty'): Promise<TestDatabase> {
  const database = await create(name, COPY);
  const drop = () => dropDatabase(database);
  atTestEnd(async (failed) => {
    // The embedded cluster ends with its run: to inspect a database afterwards, run with TEST_DATABASE_URL.
    if (failed) console.info(`kept the database of the failed test: ${database}`);
    else await drop();
  });
  return { url: urlOf(database), drop };
}

/**
 * A database that `migrateFn` built, with the rows that it wrote, for the running test. Built once per run
 * and `key`, by the first worker; the others wait for it. Tests reuse copies one after the other, since a
 * copy takes 0.4 s of CPU: a test's writes are removed after it. A test closes its connections before it
 * ends. Otherwise the same as `createTestDatabase`.
 */
export async function migratedDatabase(
  key: string,
  migrateFn: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const idle = pooled.get(key) ?? [];
  pooled.set(key, idle);
  const copy = idle.pop() ?? (await copyOf(key, migrateFn));
  let inUse = true;
  const release = async (failed = false) => {
    if (!inUse) return;
    inUse = false;
    let reusable = false;
    try {
      reusable = !failed && (await copy.contents.reset());
    } finally {
      if (reusable) idle.push(copy);
      else {
        await copy.contents.close();
        if (failed) console.info(`kept the database of the failed test: ${await renameFailed(copy.name)}`);
        else await dropDatabase(copy.name);
      }
    }
  };
  atTestEnd(release);
  return { url: urlOf(copy.name), drop: () => release() };
}

interface Copy {
  name: string;
  contents: Reusable;
}

/** The unused copies of this worker, by their templates' keys. */
const pooled = new Map<string, Copy[]>();

async function copyOf(key: string, migrateFn: (url: string) => Promise<void>): Promise<Copy> {
  const template = databaseName('template', key);
  await buildTemplate(template, migrateFn);
  const name = await create(`${POOL}${key}`, `template ${pg.escapeIdentifier(template)} ${COPY}`);
  return { name, contents: await Reusable.open(urlOf(name)) };
}

/** Renames the database, so that the end of the run does not drop it. */
async function renameFailed(name: string): Promise<string> {
  const renamed = name.replace(`${TEST_PREFIX}${POOL}`, `${TEST_PREFIX}failed_`).slice(0, NAME_LIMIT);
  await admin(async (client) => {
    await endConnections(client, name);
    await client.query(
      `alter database ${pg.escapeIdentifier(name)} rename to ${pg.escapeIdentifier(renamed)}`,
    );
  });
  return renamed;
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
      await connected(urlOf(unfinished), saveTemplateRows);
      // A template must have no connections; those of a pool that was just closed may still be ending.
      await endConnections(client, unfinished);
      await client.query(
        `alter database ${pg.escapeIdentifier(unfinished)} rename to ${pg.escapeIdentifier(template)}`,
      );
    });
    built.set(template, building);
  }
  return building;
}

async function create(label: string, options: string): Promise<string> {
  const name = databaseName(label, `${process.env.VITEST_WORKER_ID ?? '0'}_${process.pid}_${++created}`);
  await admin((client) => createDatabase(client, name, options));
  return name;
}

async function dropDatabase(name: string): Promise<void> {
  await admin((client) => client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`));
}

function atTestEnd(work: (failed: boolean) => Promise<void>): void {
  try {
    onTestFinished(({ task }) => work(task.result?.state === 'fail'));
  } catch {
    // Not inside a test: the caller ends it.
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

function admin<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  return connected(inject('adminUrl'), work);
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
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
