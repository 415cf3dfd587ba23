import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';

import type { Binaries } from './embedded-binaries.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';

/** The user that the Postgres programs run as: they refuse user id 0. */
export interface Identity {
  /** Prepended to each command. */
  prefix: readonly string[];
  /** Set if the process has to change user; its files then belong to that user. */
  uid?: number;
  gid?: number;
}

export interface Output {
  status: number | null;
  text: string;
}

const NOBODY = 65534;

/**
 * Runs a program to its end and collects its output, or why it could not run; never rejects. The environment's PG* and
 * locale variables are removed, because they change what the Postgres programs do.
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
 * Returns the user as which postgres can run and access `dataDir` (an existing directory), and the major version of
 * this postgres. `cluster` is the database's directory, which may not exist yet.
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
      'start as that user, or set DATA_DIR to a directory you own',
    );

  const attempts: string[] = [];
  for (const identity of candidates(user, owner)) {
    // Tests the real thing: enter the directory and load the libraries; initdb needs the user's name.
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
      `Postgres does not run as root, and no other user here can access ${dataDir} (${attempts.join('; ')})`,
      'start deskbridge as an ordinary user',
    );
  throw new EmbeddedPostgresError(
    'cannot-run',
    `The embedded database does not run on this machine (${attempts.join('; ')})`,
    'use a system with glibc 2.28 or newer (not Alpine) and a user with a name',
  );
}

function candidates(user: number | undefined, owner: { uid: number; gid: number } | undefined): Identity[] {
  // A user namespace in which this process is `nobody`. The files stay ours, and it works below a private directory,
  // but container runtimes often forbid it.
  const namespace = { prefix: ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`] };
  // The namespace serves user ids without a name, as in containers.
  if (user !== 0) return [{ prefix: [] }, namespace];
  // An ordinary user created it (`npm start`, later `sudo npm start`): run as that user, or the next ordinary start
  // fails.
  if (owner && owner.uid !== 0) return [{ prefix: [], uid: owner.uid, gid: owner.gid }];
  return owner ? [namespace] : [namespace, { prefix: [], uid: NOBODY, gid: NOBODY }];
}
