import {
  access,
  chmod,
  constants,
  chown,
  mkdtemp,
  open,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { join } from 'node:path';

import { makeDirectory } from '../directory.ts';
import type { Log } from '../log.ts';
import { type Binaries, locateBinaries } from './embedded-binaries.ts';
import { describeFailure, EmbeddedPostgresError } from './embedded-error.ts';
import { chooseIdentity, type Identity, runAs } from './embedded-identity.ts';

/** A cluster (what Postgres calls the files one server works on) that is ready to be started. */
export interface Cluster {
  /** Absolute, without symbolic links: Postgres reports it that way. */
  directory: string;
  binaries: Binaries;
  identity: Identity;
}

const UNFINISHED = 'postgres.new-';
const UNFINISHED_KEPT_MS = 60 * 60 * 1000;
/** Errors that mean a path cannot be a directory, for any user. */
const NO_DIRECTORY = new Set(['ENOENT', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG']);
/** initdb exits with the same status for a missing locale as for other errors, so its text decides. */
const NO_LOCALE =
  /invalid locale name|could not find suitable encoding|locale .* requires unsupported encoding/;

/** Finds or creates the cluster `dataDir`/postgres. Safe when several processes do it at the same time. */
export async function prepareCluster(dataDir: string, fsync: boolean, log: Log): Promise<Cluster> {
  const binaries = await locateBinaries();
  const home = await makeHome(dataDir);
  const directory = join(home, 'postgres');
  const { identity, version: ours } = await chooseIdentity(binaries, home, directory);
  const cluster = { directory, binaries, identity };
  const version = await clusterVersion(directory);
  if (version === undefined) await initialise(cluster, home, fsync, log);
  else if (version !== ours)
    throw new EmbeddedPostgresError(
      'other-version',
      `The database in ${home} was created by Postgres ${version}, and this deskbridge has ${ours ?? 'an unknown version'}`,
      'run the deskbridge that created it and export, or set DATA_DIR to an empty directory',
    );
  return cluster;
}

async function makeHome(dataDir: string): Promise<string> {
  try {
    await makeDirectory(dataDir);
    const home = await realpath(dataDir);
    await access(home, constants.X_OK);
    return home;
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (!NO_DIRECTORY.has(code))
      throw describeFailure('The embedded database cannot be created', dataDir, String(cause), cause);
    throw new EmbeddedPostgresError(
      'no-directory',
      `The data directory ${dataDir} cannot be created (${message})`,
      'set DATA_DIR to another directory',
      { cause },
    );
  }
}

async function clusterVersion(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw describeFailure('The embedded database cannot be read', directory, String(cause), cause);
  }
}

/**
 * Creates the files next to their final place and moves them there in one step. A process killed halfway leaves no
 * partial cluster; if two start together, one wins and the other's copy is deleted, without a lock that could outlive
 * its holder.
 */
async function initialise(
  { directory, binaries, identity }: Cluster,
  home: string,
  fsync: boolean,
  log: Log,
) {
  await removeUnfinished(home);
  try {
    const unfinished = await mkdtemp(join(home, UNFINISHED));
    try {
      await chmod(unfinished, 0o700);
      if (identity.uid !== undefined) await chown(unfinished, identity.uid, identity.gid ?? identity.uid);
      await initdb(unfinished, { binaries, identity, home, fsync, log });
      await rename(unfinished, directory).catch(async (error: unknown) => {
        if ((await clusterVersion(directory)) === undefined) throw error;
      });
      if (fsync) await syncDirectory(home);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw describeFailure('The embedded database cannot be created', home, String(cause), cause);
  }
}

interface Making {
  binaries: Binaries;
  identity: Identity;
  home: string;
  fsync: boolean;
  log: Log;
}

async function initdb(target: string, { binaries, identity, home, fsync, log }: Making) {
  const base = [binaries.initdb, '-D', target, '-U', 'postgres', '-E', 'UTF8', '--auth=trust', '--locale=C'];
  // Without -N initdb syncs what it wrote (no slower than 0.1 s here): otherwise a power cut within the first half
  // minute could take a cluster whose first rows were acknowledged.
  if (!fsync) base.push('-N');
  // Sorting stays bytewise, but letters need a real LC_CTYPE: under C, ILIKE and pg_trgm know ASCII only ('Ä' is not a
  // letter, 'Привет' has no trigrams), so search would not work for most languages.
  for (const letters of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    const { status, text } = await runAs(identity, [...base, `--lc-ctype=${letters}`]);
    if (status === 0) {
      if (letters === 'C') log.warn('this system has no UTF-8 locale: search will match ASCII letters only');
      return;
    }
    if (!NO_LOCALE.test(text)) throw describeFailure('The embedded database cannot be created', home, text);
  }
  throw describeFailure('The embedded database cannot be created', home, 'no usable locale');
}

/** Removes what a process left that was killed while creating a cluster. A recent one may still be in progress. */
async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(home, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => performance.timeOrigin + performance.now() - mtimeMs,
      () => 0,
    );
    if (age > UNFINISHED_KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
