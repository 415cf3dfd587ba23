/**
 * Programs as users run them, on their own database with the demo in it:
 *
 * - `sharedWorld()` at the top of a file: one world inside the test's process for all tests of the file. Each test
 *   starts its own conversation, or has its own channel, queue and people (`desk.ts`).
 * - `startWorld()` in a test: one inside the test's process for this test alone, for settings, clocks or faults that
 *   would disturb others. It can be stopped and started again.
 * - `startProcess()`: in its own process, which takes seconds. For what only a process can show: kill -9, signals,
 *   exit codes, output, changed sources.
 *
 * All have the same `World`. `world.clock` can move time forward, so tests need not wait for timers.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';

import { BUDGETS } from '../../src/bridge/slack/limits.ts';
import { type Client, createClient } from '../../src/client/index.ts';
import { readConfig } from '../../src/start/config.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Program, PROGRAMS, startPrograms, type Started } from '../../src/start/programs.ts';
import { Chat } from './chat.ts';
import { TestClock } from './clock.ts';
import { assertHistory, recordChanges } from './history-of.ts';
import { PATIENT_CLIENT } from './patient-client.ts';
import { freePorts } from './ports.ts';
import { demoDatabase, ENCRYPTION_KEY, programsDatabase } from './programs.ts';
import { until } from './until.ts';
import { type LineMatch, WorldLog } from './world-log.ts';

/** The API key of every world. */
const API_KEY = 'dbk_test_key_of_the_harness';

/** The sandbox has no rate limits, so the bridge only keeps Slack's if a test sets the rate of posts. */
const NO_LIMITS = BUDGETS.map((budget) => ({ ...budget, perMinute: 60_000 }));

/**
 * On a busy machine an acknowledgement, or a modal after a press, may come later than the three seconds that Slack
 * waits: a person tries again, a test would fail.
 */
const CHAT_PATIENCE_MS = 60_000;

/** Longer than a bridge caches queues, channels and workspaces (`CHAT_SETTINGS_SECONDS`). */
export const SETTINGS_CACHE_MS = 16_000;

/** Sandbox, service, bridge and desk, as `npm start` runs them. */
export interface World {
  chat: Chat;
  service: Client;
  urls: { api: string; sandbox: string; root: string };
  apiKey: string;
  /** The environment of the programs. */
  environment: Record<string, string>;
  /** Their log lines, oldest first. */
  log: Record<string, unknown>[];
  /** Resolves with the first matching log line, already logged or later. */
  logLine(matches: LineMatch): Promise<Record<string, unknown>>;
  /** Waits until no work is left on either side; dead letters stay. */
  untilIdle(): Promise<void>;
  /** Waits until the bridge has nothing left to do, even if others still repeat events. */
  untilBridgeIdle(): Promise<void>;
  /**
   * Turns off the comparison of both sides at the end. The reason says what stays different, and by which
   * rule.
   */
  skipComparison(why: string): void;
  /** Like Ctrl-C. */
  stop(): Promise<unknown>;
  /** Starts the world again after it has ended, on the same database and ports. */
  restart(): Promise<void>;
}

/** The command line: a command that runs programs, and its options. */
type Args = [keyof typeof PROGRAMS, ...string[]];

/** A world inside the test's own process. */
export interface LocalWorld extends World {
  /** The clock of all its programs. */
  clock: TestClock;
  /** Starts further programs on the same database, with this world's service, by this clock unless by another one. */
  startAlongside(args: Args, more?: Record<string, string>, clock?: TestClock): Promise<LocalWorld>;
}

/** A world in its own process. */
export interface ProcessWorld extends World {
  startAlongside(args: string[], more?: Record<string, string>): Promise<ProcessWorld>;
  pid(): number;
  /** Ends the process at once, like a crash. */
  kill(): Promise<void>;
  /** Like Ctrl-C. */
  interrupt(): void;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

const main = path.resolve(import.meta.dirname, '../../src/launch.js');
const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

/**
 * A world for all tests of a file, called at the top of the file; its fields are set when the first test
 * starts.
 */
export function sharedWorld(
  environment: Record<string, string> = {},
  args: Args = ['start', '--demo'],
): LocalWorld {
  // Filled before the first test, so that tests may write `const { chat, service } = world`.
  const world = {} as LocalWorld;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const database = await databaseFor(args);
    const running = await startInProcess(database.url, environment, args);
    Object.assign(world, running.world);
    end = async () => {
      try {
        await running.compare();
      } finally {
        await running.end();
        await database.drop();
      }
    };
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') printLog(world.log);
  });
  afterAll(async () => end?.());
  return world;
}

/**
 * Starts programs for the running test in its process; they end with the test. DATABASE_URL as in
 * `startProcess`.
 */
export async function startWorld(
  environment: Record<string, string> = {},
  args: Args = ['start', '--demo'],
): Promise<LocalWorld> {
  const url = environment.DATABASE_URL ?? (await databaseFor(args)).url;
  const running = await startInProcess(url, environment, args);
  endWithTest(running);
  return running.world;
}

/**
 * Starts programs for the running test in a process of their own; they end with the test. They use a new
 * database unless DATABASE_URL names one.
 * @param launcher the program, by default the checkout's own.
 */
export async function startProcess(
  environment: Record<string, string> = {},
  args: string[] = ['start', '--demo'],
  launcher = main,
): Promise<ProcessWorld> {
  const url = environment.DATABASE_URL ?? (await databaseFor(args)).url;
  return startChild(url, environment, [launcher, ...args]);
}

const databaseFor = (args: readonly string[]) =>
  args.includes('--demo') ? demoDatabase() : programsDatabase();

async function startInProcess(
  databaseUrl: string,
  environment: Record<string, string>,
  [command, ...options]: Args,
  clock = new TestClock(),
): Promise<Running<LocalWorld>> {
  const { env, world, log, compare, end } = await createWorld(databaseUrl, environment);
  const budgets = environment['CHAT_POSTS_PER_SECOND'] === undefined ? NO_LIMITS : undefined;
  const further: Running<LocalWorld>[] = [];
  let started: Started | undefined;
  const start = async () => {
    const config = readConfig(env);
    const destination = { write: (line: string) => log.add(line) };
    const context = {
      log: createLog({ level: config.LOG_LEVEL ?? 'info', pretty: false, destination }),
      clock,
      newId: createIds(clock),
      random: Math.random,
      version,
    };
    const wanted = new Set<Program>(PROGRAMS[command](config));
    started = await startPrograms(config, wanted, context, {
      demo: options.includes('--demo'),
      budgets,
      chatPatienceMs: CHAT_PATIENCE_MS,
    });
  };
  const stop = async () => {
    const stopping = started;
    started = undefined;
    await stopping?.stop();
  };
  await start();
  const local: LocalWorld = {
    ...world,
    clock,
    startAlongside: async (others, more = {}, its = clock) => {
      const { api } = world.urls;
      const another = await startInProcess(
        databaseUrl,
        { ...environment, SERVICE_URL: api, ...more },
        others,
        its,
      );
      further.push(another);
      return another.world;
    },
    stop,
    restart: start,
  };
  return {
    world: local,
    compare: async () => {
      if (command === 'start' && started) await compare();
    },
    end: async () => {
      for (const one of further.reverse()) await one.end();
      await stop();
      await end();
    },
  };
}

async function startChild(
  databaseUrl: string,
  environment: Record<string, string>,
  args: string[],
): Promise<ProcessWorld> {
  const { env, world, log, compare, end: close } = await createWorld(databaseUrl, environment);
  let child: ChildProcess | undefined;
  const start = () => {
    const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    return untilReady(started, log);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child && !hasEnded(child)) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child?.exitCode ?? null;
  };
  const kill = async () => {
    await end('SIGKILL');
  };
  const running: ProcessWorld = {
    ...world,
    startAlongside: (others, more = {}) =>
      startChild(databaseUrl, { ...environment, SERVICE_URL: world.urls.api, ...more }, [main, ...others]),
    pid: () => child?.pid ?? Number.NaN,
    kill,
    interrupt: () => void child?.kill('SIGINT'),
    restart: start,
    stop: () => end('SIGTERM'),
  };
  // Before it is ready, because the test may time out while it waits for that.
  endWithTest({
    world: running,
    compare: async () => {
      if (args[1] === 'start' && child && !hasEnded(child)) await compare();
    },
    end: async () => {
      await kill();
      await close();
    },
  });
  await start();
  return running;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

interface Running<Kind extends World> {
  world: Kind;
  /** Fails if the two sides differ once no work is left (history.ts). */
  compare: () => Promise<void>;
  end: () => Promise<void>;
}

function endWithTest({ world, compare, end }: Running<World>): void {
  onTestFinished(async ({ task }) => {
    try {
      if (task.result?.state === 'fail') printLog(world.log);
      else await compare();
    } finally {
      await end();
    }
  });
}

function printLog(log: readonly Record<string, unknown>[], lines = 60): void {
  console.info(
    log
      .slice(-lines)
      .map((line) => JSON.stringify(line))
      .join('\n'),
  );
}

/** The common parts of programs in this process and in another. */
async function createWorld(databaseUrl: string, environment: Record<string, string>) {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  const root = `http://127.0.0.1:${port}`;
  // Holds the sandbox's file, which stays for a restart.
  const dataDir = await mkdtemp(path.join(tmpdir(), 'world-'));
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SERVICE_API_TOKEN: API_KEY,
    TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
    CHAT_POSTS_PER_SECOND: '1000',
    CHAT_NOTICE_SECONDS: '0',
    // Search by words only: the model takes a second in each world that has a ticket.
    SEARCH_MODEL: 'none',
    LOG_PRETTY: 'false',
    ...environment,
  };
  const api = env.SERVICE_URL ?? `${root}/api`;
  const log = new WorldLog();
  const client = createClient({
    baseUrl: api,
    token: API_KEY,
    now: () => new Date(),
    random: Math.random,
    ...PATIENT_CLIENT,
  });
  const service = recordChanges(client);
  const sandbox = `http://127.0.0.1:${sandboxPort}`;
  // A bridge alone uses the sandbox of another world.
  const chat = new Chat(env.SLACK_API_URL ? new URL(env.SLACK_API_URL).origin : sandbox);
  const openWork = new OpenWork(databaseUrl);
  let skipReason: string | undefined;
  const undelivered = async () => (await chat.state()).undelivered;
  const world = {
    chat,
    service,
    urls: { api, sandbox, root },
    apiKey: API_KEY,
    environment: env,
    log: log.lines,
    logLine: (matches: LineMatch) => log.find(matches),
    untilIdle: () => openWork.untilDone([BRIDGE_WORK, SERVICE_WORK], undelivered),
    untilBridgeIdle: () => openWork.untilDone([BRIDGE_WORK]),
    skipComparison: (why: string) => {
      skipReason = why;
    },
  };
  // Every world with both sides that still runs at its end is compared.
  const compare = async () => {
    const hasBothSides = env.SERVICE_URL === undefined && env.SLACK_API_URL === undefined;
    if (!hasBothSides || skipReason !== undefined) return;
    await world.untilIdle();
    await assertHistory(world).catch((error: unknown) => {
      // What led to it may be long ago.
      printLog(
        log.lines.filter(({ msg }) => msg !== 'request'),
        1_000,
      );
      throw error;
    });
  };
  const end = async () => {
    await openWork.close();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { env, world, log, compare, end };
}

/** The bridge's work that comes by the clock: it is always planned for later. */
export const BY_THE_CLOCK = `'reconcile', 'sweep', 'remind', 'chat-requests', 'promise', 'watch-queues', 'show-queue'`;

/** Without what comes by the clock. */
const BRIDGE_WORK = `
  select (select count(*) from bridge.outbox where state in ('planned', 'sending'))
    + (select count(*) from bridge.inbox where done_at is null)
    + (select count(*) from bridge.work
      where done_at is null and dead_at is null
        and kind not in (${BY_THE_CLOCK}))
    as open`;
/** Without the waits of workflows. */
const SERVICE_WORK = `
  select count(*) as open from service.work
  where done_at is null and dead_at is null and kind <> 'workflow-timer'`;

/** Polls the programs' tables for open work, over its own connection. */
class OpenWork {
  readonly #url: string;
  #client: Promise<pg.Client> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** @param undelivered counts the events that the tables do not show yet. */
  async untilDone(
    tables: readonly string[],
    undelivered: () => Promise<number> = () => Promise.resolve(0),
  ): Promise<void> {
    const client = await (this.#client ??= this.#connect());
    // One statement, since a row that moves between two tables could be missed by two statements.
    const stored = async () => {
      const { rows } = await client.query<{ open: string }>(tables.join(' union all '));
      return rows.map(({ open }) => Number(open));
    };
    const open = async () => ({ undelivered: await undelivered(), stored: await stored() });
    const isDone = async () => {
      const now = await open();
      return now.undelivered === 0 && now.stored.every((count) => count === 0);
    };
    // The tables first, as they are open for longest and asked for least. Then twice: a message posted between the looks
    // at chat and at the tables comes back as an event.
    const isStoredDone = async () => (await stored()).every((count) => count === 0);
    await until(
      'no work to be left',
      async () => (await isStoredDone()) && (await isDone()) && (await isDone()),
      { seen: open },
    );
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    const client = await this.#client;
    this.#client = undefined;
    await client?.end();
  }
}

/** Waits until a started program reports that it is ready. */
async function untilReady(
  child: ChildProcessByStdio<null, Readable, Readable>,
  log: WorldLog,
): Promise<void> {
  const errors: string[] = [];
  const linesBefore = log.lines.length;
  createInterface({ input: child.stdout }).on('line', (line) => log.add(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`ended with ${code ?? 'a signal'} before it was ready:\n${errors.join('\n')}`);
  });
  const ready = log.find((line) => line.msg === 'ready' && log.lines.indexOf(line) >= linesBefore);
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
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
