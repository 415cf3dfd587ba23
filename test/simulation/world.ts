import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createClient, type Client } from '../../src/client/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { readConfig } from '../../src/start/config.ts';
import { type Program as Kind, startPrograms, type Started } from '../../src/start/programs.ts';
import { Chat } from '../harness/chat.ts';
import { ENCRYPTION_KEY } from '../harness/programs.ts';
import type { Chance } from './chance.ts';
import type { SimulatedPostgres } from './postgres.ts';
import { Program } from './program.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const API_KEY = 'dbk_test_key_of_the_simulation';
const PORTS = { sandbox: 4001, service: 4002, bridge: 4003, 'second bridge': 4004, 'third bridge': 4005 };
/** Where the model of AI agents answers. */
export const MODEL_PORT = 4006;
const SANDBOX = `http://127.0.0.1:${PORTS.sandbox}`;
const SERVICE = `http://127.0.0.1:${PORTS.service}`;

/** People wait for what is late several times, too: they do nothing a second time. */
const PATIENCE = { attemptTimeoutMs: 60_000, totalTimeoutMs: 120_000 };

/** A seed has the first of them, or the first two, or all. */
export const BRIDGES = ['bridge', 'second bridge', 'third bridge'] as const;
export type Name = 'sandbox' | 'service' | (typeof BRIDGES)[number];

export interface Databases {
  service: SimulatedPostgres;
  bridge: SimulatedPostgres;
}

interface Running {
  program: Program;
  started: Promise<Started>;
}

/** The programs of a seed, each of which can be killed and started again on what it stored. */
export class World {
  readonly chat = new Chat(SANDBOX);
  readonly serviceUrl = `${SERVICE}/api`;
  readonly client: Client;
  /** By how many milliseconds a program's clock is ahead. */
  readonly #skews = new Map<Name, number>();
  /** What the programs logged, in the order of all. */
  readonly log: { program: Name; line: Record<string, unknown> }[] = [];
  /** What programs logged after they were killed: that is a mistake of the simulation. */
  readonly loggedDead: string[] = [];
  readonly databases: Databases;
  readonly #running = new Map<Name, Running>();
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'simulation-'));

  constructor(databases: Databases) {
    this.databases = databases;
    this.client = createClient({
      baseUrl: this.serviceUrl,
      token: API_KEY,
      now: () => new Date(),
      random: Math.random,
      ...PATIENCE,
    });
  }

  /** Starts a program; resolves when it is ready, rejects if it cannot start. */
  async start(name: Name): Promise<Pick<Started, 'failed'>> {
    const program = new Program(name, this.#skews.get(name) ?? 0);
    const started = program.run(() => this.#startProgram(name, program));
    this.#running.set(name, { program, started });
    const { failed } = await started;
    return { failed };
  }

  /** Lets the clock of a program be ahead by so many milliseconds from now on, also once it is started again. */
  setClock(name: Name, aheadMs: number): void {
    this.#skews.set(name, aheadMs);
    const running = this.#running.get(name);
    if (running) running.program.skewMs = aheadMs;
  }

  /** Ends a program at once, as by kill -9. */
  kill(name: Name): void {
    this.#running.get(name)?.program.kill();
    this.#running.delete(name);
  }

  /** Cuts each of a program's connections with even chance, at both ends. */
  cut(name: Name, chance: Chance): void {
    const open = [...(this.#running.get(name)?.program.connections ?? [])];
    for (const connection of open) if (chance.happens(0.5)) connection.cut();
  }

  async stop(): Promise<void> {
    for (const { program, started } of [...this.#running.values()].reverse()) {
      // One that could not start has nothing to stop.
      await program.run(async () => (await started.catch(() => undefined))?.stop());
      program.kill();
    }
    await this.client.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  environmentOf(name: Name): Record<string, string> {
    const common = {
      DATA_DIR: path.join(this.#directory, name.replace(' ', '-')),
      TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
      SERVICE_API_TOKEN: API_KEY,
      SEARCH_MODEL: 'none',
      LOG_PRETTY: 'false',
    };
    if (name === 'sandbox') return { ...common, SANDBOX_PORT: String(PORTS.sandbox) };
    if (name === 'service')
      return {
        ...common,
        PORT: String(PORTS.service),
        DATABASE_URL: this.databases.service.url,
        ALLOW_PRIVATE_WEBHOOKS: 'true',
        ANSWER_MODEL: 'simulated',
        OPENAI_API_KEY: 'the-key-of-the-model',
        OPENAI_BASE_URL: `http://127.0.0.1:${MODEL_PORT}/v1`,
        RATE_LIMIT_PER_MINUTE: '100000',
      };
    return {
      ...common,
      PORT: String(PORTS[name]),
      PUBLIC_URL: `http://127.0.0.1:${PORTS.bridge}`,
      DATABASE_URL: this.databases.bridge.url,
      SERVICE_URL: this.serviceUrl,
      ...bridgeSettings(SANDBOX),
      CHAT_NOTICE_SECONDS: '0',
    };
  }

  #startProgram(name: Name, program: Program): Promise<Started> {
    const kind: Kind = name === 'sandbox' || name === 'service' ? name : 'bridge';
    const clock = { now: () => new Date() };
    const write = (line: string) => {
      this.log.push({ program: name, line: JSON.parse(line) as Record<string, unknown> });
      if (program.isKilled) this.loggedDead.push(line);
    };
    const around = {
      log: createLog({ level: 'info', pretty: false, destination: { write } }),
      clock,
      newId: createIds(clock),
      random: Math.random,
      version: '0.0.0',
    };
    return startPrograms(readConfig(this.environmentOf(name)), new Set([kind]), around, {
      demo: kind === 'service',
    });
  }
}
