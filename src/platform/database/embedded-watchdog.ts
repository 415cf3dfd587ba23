import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, statSync, utimesSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';

import { describeFailure } from './embedded-error.ts';
import { type Identity, runAs } from './embedded-identity.ts';

// Postgres must stop when its last user process ends, however that process ends. So every user holds a named pipe open
// for writing, and this script, the parent of Postgres, reads it: the kernel reports end-of-file when the last holder
// has closed it or died, even by SIGKILL. Then Postgres gets SIGINT (its fast, clean shutdown).
//
// $1 the pipe, $2 the directory of pipe and socket; the rest is the server's command.
const WATCHDOG = `
pipe=$1; directory=$2; shift 2
# Opened for reading before the server starts; both ways first, or a dead starter would leave us waiting in open().
exec 3<>"$pipe" 4<"$pipe" 3>&-
env -i PATH="$PATH" LC_ALL=C "$@" 4<&- </dev/null & server=$!
# Under this name others find it.
mv "$pipe" "$directory/hold.$server"
(
  while read -r _ <&4; do :; done
  # From here on no one can come in any more; one who just did is waited for.
  rm -f "$directory/hold.$server"
  while read -r _ <&4; do :; done
  kill -INT "$server"
) & reader=$!
exec 4<&-
wait "$server"; status=$?
kill "$reader" 2>/dev/null
rm -f "$directory/hold.$server"
rmdir "$directory" 2>/dev/null
exit "$status"
`;

/** Systems that clean up the temporary directory remove files after days. */
const TOUCH_EVERY_MS = 6 * 60 * 60 * 1000;

/** One process's hold on a running server: the server lives at least until it is released. */
export class Hold {
  #descriptor: number | undefined;
  readonly #touch: NodeJS.Timeout;

  constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.#touch = setInterval(() => {
      const now = new Date(performance.timeOrigin + performance.now());
      try {
        utimesSync(path, now, now);
      } catch {
        // The server is gone; its users learn that elsewhere.
      }
    }, TOUCH_EVERY_MS).unref();
  }

  /** Returns whether this is a hold on the server with the given process id. */
  isOf(socketDirectory: string, pid: number): boolean {
    if (this.#descriptor === undefined) return false;
    try {
      return statSync(holdPath(socketDirectory, pid)).ino === fstatSync(this.#descriptor).ino;
    } catch {
      return false;
    }
  }

  /** May be called more than once. */
  release(): void {
    if (this.#descriptor === undefined) return;
    clearInterval(this.#touch);
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

export function holdPath(socketDirectory: string, pid: number): string {
  return join(socketDirectory, `hold.${pid}`);
}

/**
 * Takes a hold on a server that another process started. 'changing': it is starting or stopping, check again.
 * 'orphaned': its watchdog was killed, so nothing would ever stop it.
 */
export function takeHold(socketDirectory: string, pid: number): Hold | 'changing' | 'orphaned' {
  const path = holdPath(socketDirectory, pid);
  try {
    return new Hold(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'changing';
    if (code === 'ENXIO') return 'orphaned';
    throw describeFailure('The running embedded database cannot be used', path, String(cause), cause);
  }
}

export interface WatchedServer {
  hold: Hold;
  /** Settles when the server has ended, with the last lines of its output. Does not keep this process running. */
  ended: Promise<string>;
  /** Waits for the end and keeps this process running meanwhile. */
  waitForEnd(): Promise<void>;
}

const KEPT_OUTPUT = 4_000;

/**
 * Starts a server under a watchdog. It is not ready yet and may end at once. Undefined if the directory is gone: the
 * watchdog of a server that has just ended removed it.
 */
export async function startWatched(
  identity: Identity,
  socketDirectory: string,
  command: readonly string[],
  onOutput: (line: string) => void,
): Promise<WatchedServer | undefined> {
  const pipe = join(socketDirectory, `new.${randomBytes(6).toString('hex')}`);
  const made = await runAs(identity, ['mkfifo', '-m', '600', pipe]);
  if (made.status !== 0) {
    if (!existsSync(socketDirectory)) return undefined;
    throw describeFailure('The embedded database cannot be started', socketDirectory, made.text);
  }
  // Read and write: opening only for writing fails until the script has opened its side.
  const hold = new Hold(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK), pipe);
  const { prefix, ...ids } = identity;
  const shell = [...prefix, 'sh', '-c', WATCHDOG, 'deskbridge-postgres', pipe, socketDirectory, ...command];
  const child = spawn(shell[0] ?? 'sh', shell.slice(1), {
    ...ids,
    cwd: '/',
    // In its own session: Ctrl-C in a terminal reaches the whole process group, and the database must outlive this
    // process.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = watchOutput(child, onOutput);
  return {
    hold,
    ended,
    async waitForEnd() {
      child.ref();
      (child.stderr as Socket | null)?.ref();
      await ended;
    },
  };
}

function watchOutput(child: ChildProcess, onOutput: (line: string) => void): Promise<string> {
  // Neither the process nor its output keeps this process running.
  child.unref();
  (child.stderr as Socket | null)?.unref();
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    for (const line of chunk.toString().split('\n')) if (line.trim() !== '') onOutput(line.trim());
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(String(error)));
    child.on('close', () => resolve(output));
  });
}
