import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';

import type { Binaries } from './embedded-binaries.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';

/** As whom the programs of Postgres run: they refuse user id 0. */
export interface Identity {
  /** Put before each command. */
  prefix: readonly string[];
  /** Set when a process has to become another user; its files are then given to that user. */
  uid?: number;
  gid?: number;
}

export interface Output {
  status: number | null;
  text: string;
}

const NOBODY = 65534;

/**
 * Runs a program to its end and collects what it prints, or why it could not be run; never rejects. Without the environment's PG* and locale variables, which
 * would change what the programs of Postgres do.
 */
export function runAs(identity: Identity, command: readonly string[]): Promise<Output> {
  const { prefix, ...ids } = identity;
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', 'exec env -i PATH="$PATH" LC_ALL=C "$@"', 'sh', ...prefix, ...command], {
      ...ids,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    const collect = (chunk: Buffer) => (text += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ status: null, text: String(error) }));
    child.on('close', (status) => resolve({ status, text }));
  });
}

/**
 * The identity under which postgres can run and reach `dataDir`, an existing directory, and the major version that this
 * postgres says it is. `cluster` is where the database's files are, if there are any yet.
 */
export async function chooseIdentity(
  binaries: Binaries,
  dataDir: string,
  cluster: string,
): Promise<{ identity: Identity; version: string | undefined }> {
  const user = process.getuid?.();
  const owner = await stat(cluster).catch(() => undefined);
  if (user !== 0 && owner && owner.uid !== user)
    throw new EmbeddedPostgresError(
      'not-writable',
      `The database in ${dataDir} belongs to another user`,
      'start as that user, or point DATA_DIR at a directory of yours',
    );

  const attempts: string[] = [];
  for (const identity of candidates(user, owner)) {
    // The test is the real thing: enter the directory, load the libraries; and initdb asks for the user's name.
    const probe = [
      'sh',
      '-c',
      'cd "$1" && id -un >/dev/null && exec "$2" --version',
      'sh',
      dataDir,
      binaries.postgres,
    ];
    const { status, text } = await runAs(identity, probe);
    if (status === 0) return { identity, version: /\) (\d+)/.exec(text)?.[1] };
    attempts.push(text.trim());
  }
  if (user === 0)
    throw new EmbeddedPostgresError(
      'cannot-run',
      `Postgres does not run as root, and no other user can be used here to reach ${dataDir} (${attempts.join('; ')})`,
      'start deskbridge as an ordinary user',
    );
  throw new EmbeddedPostgresError(
    'cannot-run',
    `The embedded database does not run on this machine (${attempts.join('; ')})`,
    'use a system with glibc 2.28 or newer (not Alpine) and a user that has a name',
  );
}

function candidates(user: number | undefined, owner: { uid: number; gid: number } | undefined): Identity[] {
  // A user namespace in which we are called nobody. Files stay ours, and it works below a closed directory; but
  // container runtimes often forbid it.
  const namespace = { prefix: ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`] };
  // The second for a user id without a name, as containers have them.
  if (user !== 0) return [{ prefix: [] }, namespace];
  // An ordinary user made it (`npm start`, later `sudo npm start`): stay that user, or the next ordinary start fails.
  if (owner && owner.uid !== 0) return [{ prefix: [], uid: owner.uid, gid: owner.gid }];
  return owner ? [namespace] : [namespace, { prefix: [], uid: NOBODY, gid: NOBODY }];
}
