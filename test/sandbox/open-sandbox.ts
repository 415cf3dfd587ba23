import { App } from '@slack/bolt';
import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import { onTestFinished } from 'vitest';

import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { LIMITS } from '../../src/sandbox/limits.ts';
import { type Sandbox, type SandboxSeed, startSandbox } from '../../src/sandbox/index.ts';
import { SEED } from './seed.ts';

export { SEED };

export const HELP = 'C0HELPP';
export const ADA = 'U0ADAAA';
export const BEN = 'U0BENNN';
export const BOT = 'U0BOTTT';

/** A clock that only moves when the test says so. */
export class HeldClock implements Clock {
  #now: number;
  constructor(start = Date.UTC(2026, 0, 5, 9, 0, 0)) {
    this.#now = start;
  }
  now(): Date {
    return new Date(this.#now);
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface OpenOptions {
  clock?: Clock;
  /** For a sandbox that is started again; without it, nothing is stored. */
  file?: string;
  seed?: SandboxSeed;
  /** How long an app may take to acknowledge, and to use a trigger. */
  patienceMs?: number;
}

/** By the machine's clock a busy machine may need longer than Slack waits; a clock that the test moves is Slack's. */
const PATIENCE_MS = 60_000;
/** For a test that moves the sandbox's clock by Slack's three seconds. */
export const AS_SLACK: OpenOptions = { patienceMs: LIMITS.ackMs };

/** A sandbox for the running test with its own workspace; stopped after the test. */
export async function openSandbox({
  clock = systemClock,
  file = ':memory:',
  seed = SEED,
  patienceMs = clock === systemClock ? PATIENCE_MS : LIMITS.ackMs,
}: OpenOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    file,
    log: createLog({ level: 'error', pretty: false }),
    clock,
    newId: createIds(clock),
    random: Math.random,
    host: '127.0.0.1',
    port: 0,
    seed,
    patienceMs,
  });
  stopAfterTest(sandbox);
  return sandbox;
}

export function stopAfterTest(part: { stop(): Promise<unknown> }): void {
  onTestFinished(async () => {
    await part.stop();
  });
}

/** The SDK's log messages do not matter, only its results. */
export const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** The real client, as an app uses it; without retries, so that a test sees each response. */
export function webClient(sandbox: Sandbox, token: string | undefined = SEED.app.botToken): WebClient {
  return new WebClient(token, {
    slackApiUrl: sandbox.apiUrl,
    retryConfig: { retries: 0 },
    logger: SILENT,
  });
}

/** The real Bolt over Socket Mode, connected; every event body it gets is stored in `bodies`. */
export async function boltApp(sandbox: Sandbox, setUp: (app: App) => void = () => undefined): Promise<App> {
  const app = new App({
    token: SEED.app.botToken,
    appToken: SEED.app.appToken,
    socketMode: true,
    ignoreSelf: false,
    logger: SILENT,
    clientOptions: { slackApiUrl: sandbox.apiUrl },
  });
  setUp(app);
  await app.start();
  stopAfterTest(app);
  return app;
}

/** Collects items as they arrive, and waits for the first of them. */
export class Mailbox<Item> {
  readonly items: Item[] = [];
  #waiting: { count: number; resolve: (items: Item[]) => void }[] = [];

  put(item: Item): void {
    this.items.push(item);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.items.length < count) return true;
      resolve(this.items.slice(0, count));
      return false;
    });
  }

  async first(count: number): Promise<Item[]> {
    if (this.items.length >= count) return this.items.slice(0, count);
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}
