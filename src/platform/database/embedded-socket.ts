import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { describeFailure } from './embedded-error.ts';
import type { Identity } from './embedded-identity.ts';

/**
 * Only part of the socket's file name, because the server does not listen on a network; fixed, so that PGPORT does not
 * matter.
 */
export const PORT = 5432;

/** Maximum length of a socket's path in bytes: 107 on Linux, 103 on macOS. */
const PATH_LIMIT = 103;
const SOCKET_NAME = `/.s.PGSQL.${PORT}`;

/**
 * Creates the directory for a cluster's socket. Its path is short whatever the cluster's own path, it is closed to
 * other users (anyone who can enter it is a superuser of the database), and it is the same at every start, so that
 * clients find it after a restart. Undefined if the watchdog of a server that has just ended removed it meanwhile.
 */
export async function makeSocketDirectory(cluster: string, identity: Identity): Promise<string | undefined> {
  const name = `deskbridge-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
  const preferred = join(tmpdir(), name);
  const path =
    Buffer.byteLength(preferred + SOCKET_NAME) + '-123456'.length <= PATH_LIMIT
      ? preferred
      : join('/tmp', name);
  const owner = identity.uid ?? process.getuid?.();
  try {
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    const found = await lstat(path);
    const ours =
      found.isDirectory() && [owner, process.getuid?.()].includes(found.uid) && !(found.mode & 0o077);
    // Anyone may create something with this name in a shared temporary directory; then use an unguessable name.
    const safe = ours ? path : await mkdtemp(`${path}-`);
    if (identity.uid !== undefined) await chown(safe, identity.uid, identity.gid ?? identity.uid);
    return safe;
  } catch (cause) {
    const { code, syscall = '' } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && ['lstat', 'chown'].includes(syscall)) return undefined;
    throw describeFailure('The embedded database has no place for its socket', path, String(cause), cause);
  }
}

/**
 * Returns the URL of a database behind a socket. Port and sslmode are included so that no PG* variable changes them.
 */
export function socketUrl(socketDirectory: string, database: string): string {
  return `postgres://postgres@/${encodeURIComponent(database)}?host=${encodeURIComponent(socketDirectory)}&port=${PORT}&sslmode=disable`;
}

/** Returns whether a server on `cluster` answers on the socket. */
export async function answers(socketDirectory: string, cluster: string): Promise<boolean> {
  const shown = await query(socketDirectory, 'show data_directory').catch(() => []);
  return shown[0]?.data_directory === cluster;
}

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/** Creates the database unless it exists. */
export async function ensureDatabase(socketDirectory: string, name: string): Promise<void> {
  const found = await query(socketDirectory, 'select 1 from pg_database where datname = $1', [name]);
  if (found.length > 0) return;
  try {
    await query(socketDirectory, `create database ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    // Another process that started at the same time was faster.
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
  }
}

async function query(socketDirectory: string, text: string, values: string[] = []) {
  const client = new pg.Client({
    connectionString: socketUrl(socketDirectory, 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  // If the server goes away meanwhile, the query reports it; an unhandled event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
