import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { Log } from '../log.ts';
import { type Cluster, prepareCluster } from './embedded-cluster.ts';
import { describeFailure, EmbeddedPostgresError } from './embedded-error.ts';
import { findPostmaster, type Postmaster } from './embedded-postmaster.ts';
import { answers, ensureDatabase, makeSocketDirectory, PORT, socketUrl } from './embedded-socket.ts';
import { type Hold, holdPath, startWatched, takeHold, type WatchedServer } from './embedded-watchdog.ts';

export { EmbeddedPostgresError } from './embedded-error.ts';

export interface EmbeddedOptions {
  /** Created if missing, with the database's files in `postgres` below it. Must be on a local disk. */
  dataDir: string;
  log: Log;
  /** `false` trades safety against power loss for speed; only for tests. Default true. */
  fsync?: boolean;
  /** Default `deskbridge`; created if missing. */
  databaseName?: string;
  /** Used if this process starts the server. Default 100. */
  maxConnections?: number;
}

export interface EmbeddedPostgres {
  /** For `openDatabase`: a unix socket in a directory that only this user may enter. */
  readonly url: string;
  /** Whether another process had already started the server. */
  readonly attached: boolean;
  /** Releases this process's hold. The server stops with its last user; if that is this process, waits for it. */
  stop(): Promise<void>;
}

/** Time limit from start to first answer; includes recovery after a crash. */
const START_LIMIT_MS = 60_000;
const RESTART_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 10;
/** Time limit for the watchdog to notice that it has lost its last user. */
const NOTICE_LIMIT_MS = 1_000;

/**
 * Starts a real Postgres on `dataDir`, or attaches to the one that another process of this machine runs there.
 *
 * No process owns the server. All its users share it, and a watchdog stops it when the last of them has stopped or
 * died; so an attached process continues undisturbed when the process that started the server ends. If the server
 * itself dies, the process that started it restarts it at the same address and clients reconnect.
 *
 * Rejects with EmbeddedPostgresError, whose message says what to do. The data directory must not be shared between
 * machines or containers: Postgres's own lock knows only the processes of one machine.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, fsync = true, databaseName = 'deskbridge' } = options;
  const cluster = await prepareCluster(dataDir, fsync, log);
  let server = await bringUp(cluster, options);
  await ensureDatabase(server.socketDirectory, databaseName);
  const { socketDirectory, started } = server;
  let stopped = false;
  // A function, because the compiler would narrow a variable across an await.
  const isStopped = () => stopped;
  if (started) void keepUp(started);

  async function keepUp(current: WatchedServer): Promise<void> {
    const output = await current.ended;
    if (isStopped()) return;
    log.error({ output }, 'the embedded database stopped unexpectedly; restarting it');
    server.hold.release();
    while (!isStopped()) {
      try {
        server = await bringUp(cluster, options);
        if (isStopped()) await leave(cluster, server);
        else if (server.started) void keepUp(server.started);
        return;
      } catch (error) {
        log.error({ err: error }, 'the embedded database cannot be restarted');
        await delay(RESTART_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  return {
    url: socketUrl(socketDirectory, databaseName),
    attached: started === undefined,
    async stop() {
      if (isStopped()) return;
      stopped = true;
      await leave(cluster, server);
    },
  };
}

interface Server {
  socketDirectory: string;
  hold: Hold;
  /** Set if this process started it. */
  started?: WatchedServer;
}

/** Attaches or starts, and checks again if another process changes something at the same time. */
async function bringUp(cluster: Cluster, options: EmbeddedOptions): Promise<Server> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  while (!limit.aborted) {
    const found = await findPostmaster(cluster.directory);
    const server =
      found === undefined
        ? await start(cluster, options, limit)
        : found === 'leaving'
          ? undefined
          : await attach(cluster, found, limit);
    if (server) return server;
    await delay(LOOK_EVERY_MS);
  }
  throw new EmbeddedPostgresError(
    'failed',
    `The embedded database in ${cluster.directory} did not answer within ${START_LIMIT_MS / 1000} s`,
    'check whether a postgres process hangs and end it',
  );
}

async function attach(cluster: Cluster, found: Postmaster, limit: AbortSignal): Promise<Server | undefined> {
  const { pid, socketDirectory } = found;
  if (socketDirectory === undefined) return undefined;
  const hold = takeHold(socketDirectory, pid);
  if (hold === 'changing') return undefined;
  if (hold === 'orphaned') {
    // Nothing would ever stop it; its users, if any, find the new server at the same address.
    process.kill(pid, 'SIGINT');
    return undefined;
  }
  while (!limit.aborted) {
    if (await answers(socketDirectory, cluster.directory)) return { socketDirectory, hold };
    const now = await findPostmaster(cluster.directory);
    if (now === undefined || now === 'leaving' || now.pid !== pid) break;
    await delay(LOOK_EVERY_MS);
  }
  hold.release();
  return undefined;
}

/** Messages of a server that cannot start because another one was faster or has not quite ended. */
const NOT_NOW =
  /lock file ".*" (already exists|is empty)|pre-existing shared memory block|could not (create|open) lock file ".*": No such file/;

async function start(
  cluster: Cluster,
  options: EmbeddedOptions,
  limit: AbortSignal,
): Promise<Server | undefined> {
  const { directory, identity } = cluster;
  const socketDirectory = await makeSocketDirectory(directory, identity);
  if (socketDirectory === undefined) return undefined;
  const command = serverCommand(cluster, socketDirectory, options);
  const started = await startWatched(identity, socketDirectory, command, (line) =>
    options.log.debug({ postgres: line }, 'embedded database output'),
  );
  if (started === undefined) return undefined;
  const { hold } = started;
  let output: string | undefined;
  void started.ended.then((text) => (output = text));
  while (!limit.aborted && output === undefined) {
    // The answer may come from a server that another process started at the same time.
    const found = await findPostmaster(directory);
    const ours = typeof found === 'object' && found.ready && hold.isOf(socketDirectory, found.pid);
    if (ours && (await answers(socketDirectory, directory))) return { socketDirectory, hold, started };
    await delay(LOOK_EVERY_MS);
  }
  hold.release();
  if (output !== undefined && !NOT_NOW.test(output))
    throw describeFailure('The embedded database does not start', directory, output);
  return undefined;
}

function serverCommand(
  { binaries, directory }: Cluster,
  socketDirectory: string,
  { fsync = true, maxConnections = 100 }: EmbeddedOptions,
): string[] {
  const settings = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: maxConnections,
    // Callers get the errors of statements; printed here they could write message text into a log.
    log_min_messages: 'fatal',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  return [
    binaries.postgres,
    '-D',
    directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

async function leave(cluster: Cluster, { socketDirectory, hold, started }: Server): Promise<void> {
  const found = await findPostmaster(cluster.directory);
  hold.release();
  if (!started || typeof found !== 'object') return;
  // The watchdog removes its pipe as soon as no one holds it; if it stays, others hold it and the server lives on.
  const limit = AbortSignal.timeout(NOTICE_LIMIT_MS);
  while (!limit.aborted) {
    if (!existsSync(holdPath(socketDirectory, found.pid))) return started.waitForEnd();
    await delay(LOOK_EVERY_MS);
  }
}
