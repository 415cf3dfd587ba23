import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The server process that a cluster's lock file names. */
export interface Postmaster {
  pid: number;
  /** Written a moment after the process id; undefined until then. */
  socketDirectory: string | undefined;
  /** The server reports that it accepts connections. */
  ready: boolean;
}

/**
 * Returns the server running on a cluster: `undefined` if there is none, 'leaving' while a killed one is still in the
 * process table (it may take a second or two to be reaped, and Postgres refuses to start until then).
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | 'leaving' | undefined> {
  const lockFile = join(cluster, 'postmaster.pid');
  const postmaster = await readLockFile(lockFile);
  if (!postmaster) return undefined;
  const state = await processState(postmaster.pid);
  if (state === 'gone') return undefined;
  if (state === 'zombie') return 'leaving';
  if (state === 'postgres') return postmaster;
  // After a reboot, or in a restarted container, another program may have the process id, and Postgres would take it
  // for a live server. (If a server starts at this very moment, its shared memory is a second lock.)
  if ((await readLockFile(lockFile))?.pid === postmaster.pid) await rm(lockFile, { force: true });
  return undefined;
}

async function readLockFile(path: string): Promise<Postmaster | undefined> {
  // Lines: process id, cluster, start time, port, socket directory, address, shared memory, state (PostgreSQL,
  // storage/file layout).
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    socketDirectory: lines[4] === '' ? undefined : lines[4],
    ready: lines[7]?.trim() === 'ready',
  };
}

type ProcessState = 'gone' | 'zombie' | 'postgres' | 'other';

async function processState(pid: number): Promise<ProcessState> {
  try {
    if (process.platform === 'linux') {
      // `42 (postgres) S …`; the name may itself hold parentheses.
      const text = await readFile(`/proc/${pid}/stat`, 'utf8');
      const end = text.lastIndexOf(')');
      return classify(text.slice(text.indexOf('(') + 1, end), text.slice(end + 2, end + 3));
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-o', 'comm=', '-p', String(pid)]);
    const [, state = '', command = ''] = /^\s*(\S+)\s+(.*)$/m.exec(stdout) ?? [];
    return classify(command.slice(command.lastIndexOf('/') + 1), state.slice(0, 1));
  } catch {
    return 'gone';
  }
}

function classify(command: string, state: string): ProcessState {
  if (state === 'Z' || state === 'X') return 'zombie';
  return command === 'postgres' ? 'postgres' : 'other';
}
