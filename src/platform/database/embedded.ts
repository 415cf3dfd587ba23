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
  /** Made when missing; the database's files are in `postgres` below it. On a local disk of this machine. */
  dataDir: string;
  log: Log;
  /** `false` gives up safety against power loss for speed: for tests only. Default true. */
  fsync?: boolean;
  /** Default `deskbridge`; made when missing. */
  databaseName?: string;
  /** Of the server, if this process starts it. Default 100. */
  maxConnections?: number;
}

export interface EmbeddedPostgres {
  /** For `openDatabase`: a unix socket in a directory that only this user may enter. */
  readonly url: string;
  /** Whether another process had started the server already. */
  readonly attached: boolean;
  /** Gives this process's share up. The server stops with its last user; waits for that if it is us. */
  stop(): Promise<void>;
}

/** How long a server may take from start to first answer; recovery after a crash is part of it. */
const START_LIMIT_MS = 60_000;
const RESTART_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 10;
/** How long the watchdog may take to notice that it has lost its last user. */
const NOTICE_LIMIT_MS = 1_000;

/**
 * Starts a real Postgres on `dataDir`, or attaches to the one that another process of this machine runs there.
 *
 * No process owns the server. It belongs to all that use it, and a watchdog stops it when the last of them has
 * stopped or died, in whatever way; so an attached process goes on undisturbed when the one that started the server
 * ends. If the server itself dies, its starter starts it again at the same address and clients reconnect.
 *
 * Rejects with EmbeddedPostgresError, whose message says what to do. The data directory must not be shared between
 * machines or containers: Postgres's own lock knows the processes of one machine only.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, fsync = true, databaseName = 'deskbridge' } = options;
  const cluster = await prepareCluster(dataDir, fsync, log);
  let server = await bringUp(cluster, options);
  await ensureDatabase(server.socketDirectory, databaseName);
  const { socketDirectory, started } = server;
  let stopped = false;
  // A function: the compiler would take a variable's value for settled across an await.
  const isStopped = () => stopped;
  if (started) void keepUp(started);

  async function keepUp(current: WatchedServer): Promise<void> {
    const output = await current.ended;
    if (isStopped()) return;
    log.error({ output }, 'the embedded database ended by itself; starting it again');
    server.hold.release();
    while (!isStopped()) {
      try {
        server = await bringUp(cluster, options);
        if (isStopped()) await leave(cluster, server);
        else if (server.started) void keepUp(server.started);
        return;
      } catch (error) {
        log.error({ err: error }, 'the embedded database cannot be started again');
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
  /** Present when this process started it. */
  started?: WatchedServer;
}

/** Attaches or starts, and looks again where another process changes things at the same moment. */
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
    'see whether a process called postgres hangs on it and end it',
  );
}

async function attach(cluster: Cluster, found: Postmaster, limit: AbortSignal): Promise<Server | undefined> {
  const { pid, socketDirectory } = found;
  if (socketDirectory === undefined) return undefined;
  const hold = takeHold(socketDirectory, pid);
  if (hold === 'changing') return undefined;
  if (hold === 'orphaned') {
    // Nothing would ever stop it; its users, if any, find the one we start at the same address.
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

/** What a server says that cannot start yet, or no longer, because another one was quicker or has not quite ended. */
const NOT_NOW =
  /lock file ".*" (already exists|is empty)|pre-existing shared memory block|could not (create|open) lock file ".*": No such file/;

async function start(
  cluster: Cluster,
  options: EmbeddedOptions,
  limit: AbortSignal,
): Promise<Server | undefined> {
  const { directory, identity } = cluster;
  const socketDirectory = await makeSocketDirectory(directory, identity);
  const command = serverCommand(cluster, socketDirectory, options);
  const started = await startWatched(identity, socketDirectory, command, (line) =>
    options.log.debug({ postgres: line }, 'the embedded database says'),
  );
  const { hold } = started;
  let output: string | undefined;
  void started.ended.then((text) => (output = text));
  while (!limit.aborted && output === undefined) {
    // What answers may be a server that another process started at the same moment.
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
    // Errors of statements reach their caller; printed here they could carry people's words into a log.
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
  // The watchdog takes its pipe away as soon as no one else holds it; if it stays, others do, and the server lives on.
  const limit = AbortSignal.timeout(NOTICE_LIMIT_MS);
  while (!limit.aborted) {
    if (!existsSync(holdPath(socketDirectory, found.pid))) return started.waitForEnd();
    await delay(LOOK_EVERY_MS);
  }
}
