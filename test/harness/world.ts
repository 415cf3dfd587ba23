import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import pg from 'pg';
import { onTestFinished } from 'vitest';

import { type Client, createClient } from '../../src/client/index.ts';
import { Chat } from './chat.ts';
import { freePorts } from './ports.ts';
import { programsDatabase } from './programs.ts';
import { until } from './until.ts';

/** The key that every world of the tests is started with. */
const API_KEY = 'dbk_test_key_of_the_harness';

/** Sandbox, service and bridge in a process of their own, as `npm start` runs them. */
export interface World {
  chat: Chat;
  service: Client;
  urls: { api: string; sandbox: string; root: string };
  apiKey: string;
  /** What the process was started with. */
  environment: Record<string, string>;
  /** What the process has logged, oldest first. */
  log: Record<string, unknown>[];
  /** Further programs on the same database, with this world's service as theirs. */
  beside(args: string[], more?: Record<string, string>): Promise<World>;
  /** Waits until nothing is on its way between the two sides any more; what is parked stays. */
  quiet(): Promise<void>;
  /** Waits until the bridge has nothing left to do, whatever others still repeat. */
  idle(): Promise<void>;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
  /** The same world again, on the same database and ports. */
  restart(): Promise<void>;
  /** As Ctrl-C does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const main = path.resolve(import.meta.dirname, '../../src/launch.js');

/**
 * Starts everything on a database of the test's own; ended with the test.
 * @param launcher the program, where it is not the checkout's own.
 */
export async function startWorld(
  environment: Record<string, string> = {},
  args: string[] = ['start', '--demo'],
  launcher = main,
): Promise<World> {
  const { url } = await programsDatabase();
  return startOn(url, environment, [launcher, ...args]);
}

async function startOn(
  databaseUrl: string,
  environment: Record<string, string>,
  args: string[],
): Promise<World> {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  const root = `http://127.0.0.1:${port}`;
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SERVICE_API_TOKEN: API_KEY,
    CHAT_POSTS_PER_SECOND: '1000',
    CHAT_NOTICE_SECONDS: '0',
    LOG_PRETTY: 'false',
    ...environment,
  };
  const api = env.SERVICE_URL ?? `${root}/api`;
  const log: Record<string, unknown>[] = [];
  let child = await launch(env, args, log);
  const service = createClient({
    ...{ baseUrl: api, token: API_KEY, now: () => new Date(), random: Math.random },
    // A machine that is busy with other tests is slow, not away: what a test writes is not to be given up for that.
    ...{ attemptTimeoutMs: 60_000, totalTimeoutMs: 67_000 },
  });
  const world: World = {
    chat: new Chat(`http://127.0.0.1:${sandboxPort}`),
    service,
    urls: { api, sandbox: `http://127.0.0.1:${sandboxPort}`, root },
    apiKey: API_KEY,
    environment: env,
    log,
    beside: (others, more = {}) =>
      startOn(databaseUrl, { ...environment, SERVICE_URL: api, ...more }, [main, ...others]),
    quiet: () => untilNothing(databaseUrl, [...OF_THE_BRIDGE, ...OF_THE_OTHERS]),
    idle: () => untilNothing(databaseUrl, OF_THE_BRIDGE),
    kill: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    restart: async () => {
      child = await launch(env, args, log);
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      await once(child, 'exit');
      return child.exitCode;
    },
  };
  onTestFinished(async ({ task }) => {
    await world.kill();
    await service.close();
    if (task.result?.state !== 'fail') return;
    console.info(
      log
        .slice(-60)
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
  });
  return world;
}

const OF_THE_BRIDGE = [
  `select count(*) as open from bridge.outbox where state in ('planned', 'sending')`,
  `select count(*) from bridge.inbox where done_at is null`,
  `select count(*) from bridge.job where state <> 'parked' and queue not in ('reconcile', 'receipts', 'reminder')`,
];
const OF_THE_OTHERS = [
  `select count(*) from sandbox.envelope where state = 'waiting'`,
  `select count(*) from service.job where state <> 'parked'`,
];

async function untilNothing(databaseUrl: string, waiting: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const open = async () => {
    const { rows } = await client.query<{ open: string }>(waiting.join(' union all '));
    return rows.map((row) => Number(row.open));
  };
  try {
    await until('nothing to be on its way', async () => (await open()).every((count) => count === 0), {
      withinMs: 90_000,
      seen: open,
    });
  } finally {
    await client.end();
  }
}

/** Runs a launcher with its arguments until it says that it is ready. */
async function launch(
  env: Record<string, string>,
  args: string[],
  log: Record<string, unknown>[],
): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ready = Promise.withResolvers<undefined>();
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const entry = JSON.parse(line) as Record<string, unknown>;
    log.push(entry);
    if (entry.msg === 'ready') ready.resolve(undefined);
  });
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  child.on('exit', (code) =>
    ready.reject(new Error(`ended with ${code ?? 'a signal'} before it was ready:\n${errors.join('\n')}`)),
  );
  await ready.promise;
  return child;
}

/** Runs the command line to its end. */
export async function runCli(
  args: string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}
