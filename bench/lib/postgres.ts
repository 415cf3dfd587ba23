import { readFileSync } from 'node:fs';
import path from 'node:path';

import pg from 'pg';

import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createLog } from '../../src/platform/log.ts';
import { cpuSecondsOfFamily } from './proc.ts';
import { atEnd, scratch } from './programs.ts';

export interface Postgres {
  /** The data directory, to measure its size on disk. */
  directory: string;
  /** The URL of a database, which is created if it does not exist. */
  database(name: string): Promise<string>;
  /** CPU seconds that the server has used, with its connections. */
  cpu(): number;
}

/** A Postgres of the rig's own, with the same durability settings as the one that deskbridge starts. */
export async function startPostgres(): Promise<Postgres> {
  const dataDir = scratch();
  const open = async (databaseName: string) => {
    const log = createLog({ level: 'silent', pretty: false });
    const server = await startEmbeddedPostgres({ dataDir, log, databaseName, maxConnections: 200 });
    atEnd(() => server.stop());
    return server.url;
  };
  await open('deskbridge');
  const directory = path.join(dataDir, 'postgres');
  const [pid = '0'] = readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n');
  return { directory, database: open, cpu: () => cpuSecondsOfFamily(Number(pid)) };
}

/**
 * An existing Postgres server on this machine: `BENCH_DATABASE_URL`, of a superuser. Its databases
 * `deskbridge_bench_…` are recreated, and dropped with the rig.
 */
export async function givenPostgres(): Promise<Postgres & { version: string }> {
  const url = process.env['BENCH_DATABASE_URL'];
  if (!url)
    throw new Error('BENCH_DATABASE_URL must be the URL of a superuser on a Postgres server on this machine');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const made = new Set<string>();
  const drop = (name: string) => client.query(`drop database if exists ${name} with (force)`);
  atEnd(async () => {
    for (const name of made) await drop(name);
    await client.end();
  });
  const { rows } = await client.query<{ version: string; directory: string; pid: string }>(
    `select current_setting('server_version') as version, current_setting('data_directory') as directory,
      split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`,
  );
  const { version = '', directory = '', pid = '0' } = rows[0] ?? {};
  return {
    version,
    directory,
    cpu: () => cpuSecondsOfFamily(Number(pid)),
    async database(label) {
      const name = pg.escapeIdentifier(`deskbridge_bench_${label}`);
      await drop(name);
      await client.query(`create database ${name}`);
      made.add(name);
      return Object.assign(new URL(url), { pathname: `/deskbridge_bench_${label}` }).href;
    },
  };
}
