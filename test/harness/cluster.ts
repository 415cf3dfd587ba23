import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import type { TestProject } from 'vitest/node';

import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createLog } from '../../src/platform/log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's URL of the server that all tests of a run share; see database.ts. */
    adminUrl: string;
    /** Part of the names of everything that this run creates on the server, which may serve several runs. */
    runName: string;
  }
}

/** Enough for two workers with tests of several programs, each with its pools, at once. */
const MAX_CONNECTIONS = 300;

/** A run takes less than a quarter of it. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Global set-up of vitest: one Postgres per run, without fsync, in a temporary directory. With
 * TEST_DATABASE_URL (a superuser's; the second leg of CI uses Postgres 15) that server instead.
 */
export default async function cluster(project: TestProject): Promise<() => Promise<void>> {
  const runName = process.pid.toString(36);
  project.provide('runName', runName);
  const configuredUrl = process.env.TEST_DATABASE_URL;
  if (configuredUrl) {
    project.provide('adminUrl', configuredUrl);
    return () => dropTemplates(configuredUrl, runName);
  }
  const dataDir = await mkdtemp(join(await folder(), 'deskbridge-test-'));
  const embedded = await startEmbeddedPostgres({
    dataDir,
    log: createLog({ level: 'warn', pretty: false }),
    fsync: false,
    maxConnections: MAX_CONNECTIONS,
  });
  await connected(embedded.url, async (client) => {
    // It would process hundreds of small, short-lived databases.
    await client.query('alter system set autovacuum = off');
    await client.query('select pg_reload_conf()');
  });
  project.provide('adminUrl', embedded.url);
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/**
 * Linux's in-memory directory, if it has room: a run creates hundreds of databases there, of hundreds of
 * files each.
 */
async function folder(): Promise<string> {
  const inMemory = await statfs('/dev/shm').catch(() => undefined);
  return inMemory && inMemory.bavail * inMemory.bsize >= ROOM_BYTES ? '/dev/shm' : tmpdir();
}

/** A run leaves only the databases of failed tests on an external server. */
async function dropTemplates(url: string, runName: string): Promise<void> {
  await connected(url, async (client) => {
    const found = await client.query<{ name: string }>(
      'select datname as name from pg_database where datname ~ $1',
      [`^test_(template|pool_.*)_${runName}_`],
    );
    for (const { name } of found.rows)
      await client.query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
  });
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
