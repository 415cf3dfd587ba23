import type pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';

import { migrate, migration } from '../../../src/platform/database/migrate.ts';
import {
  type Database,
  databaseErrorCode,
  openDatabase,
  type Tx,
} from '../../../src/platform/database/open.ts';
import {
  Engine,
  ENGINE_SQL,
  type EngineOptions,
  type EngineTables,
  type WorkKind,
} from '../../../src/platform/engine/index.ts';
import { createLog } from '../../../src/platform/log.ts';
import { CONNECTION_WAIT_MS, migratedDatabase } from '../../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const SCHEMA = 'room';

/** The engine's tables, and one of effects. */
export type Tables = EngineTables & { effect: { what: string; id: number | undefined } };

const DEADLOCK = '40P01';

/** Work that is a word. */
export const WORD: WorkKind<string> = { name: 'word', class: 'words', body: z.string() };
export const SLOW: WorkKind<string> = { name: 'slow', class: 'slow', body: z.string() };

/** A process with an engine and connections of its own. */
export interface Process {
  engine: Engine<Tables>;
  database: Database<Tables>;
  faults: Faults;
}

/** Breaks the connections of one process. */
export class Faults {
  readonly #clients = new Set<pg.Client>();
  /** How many statements were sent. */
  sent = 0;
  /** How many of them Postgres ended because transactions waited for each other. */
  deadlocks = 0;
  /** What happens to which statement, counted from 1: the process is killed, or only the answer is lost. */
  at: { statement: number; when: 'before' | 'after'; what: 'kill' | 'lose' } | undefined;
  /** Waited for before a statement is sent: undefined for one that goes on at once. */
  holds: (text: string) => Promise<unknown> | undefined = () => undefined;
  /** Waited for before a statement's answer is known here: undefined for one that is known at once. */
  holdsAnswer: (text: string) => Promise<unknown> | undefined = () => undefined;
  readonly #killed = Promise.withResolvers<undefined>();
  #isKilled = false;

  /** Resolves when the process was killed: nothing that it awaits ever comes. */
  get killed(): Promise<undefined> {
    return this.#killed.promise;
  }

  watch(client: pg.Client): void {
    if (this.#isKilled) cut(client);
    this.#clients.add(client);
    client.on('end', () => this.#clients.delete(client));
    const query = client.query.bind(client) as (config: unknown) => Promise<unknown>;
    client.query = (async (config: unknown) => {
      if (this.#isDead()) return never();
      const { text } = config as { text: string };
      await this.holds(text);
      this.sent += 1;
      const isAt = this.sent === this.at?.statement;
      if (isAt && this.at?.when === 'before') return this.#strike(client);
      const answer = await query(config).catch((error: unknown) => {
        if (databaseErrorCode(error) === DEADLOCK) this.deadlocks += 1;
        throw error;
      });
      await this.holdsAnswer(text);
      if (this.#isDead()) return never();
      return isAt ? this.#strike(client) : answer;
    }) as typeof client.query;
  }

  /** A function: it may have been killed since it was last asked. */
  #isDead(): boolean {
    return this.#isKilled;
  }

  #strike(client: pg.Client): Promise<never> {
    if (this.at?.what === 'lose') {
      cut(client);
      return Promise.reject(new Error('the connection was cut'));
    }
    this.kill();
    return never();
  }

  /** Ends the process as kill -9 does: its connections close, and nothing of it goes on. */
  kill(): void {
    this.#isKilled = true;
    for (const client of this.#clients) cut(client);
    this.#killed.resolve(undefined);
  }
}

function cut(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A database with the engine's tables and a table of effects for every test of a file, and processes on it. */
export function engineSetup() {
  let url: string;
  let database: Database<Tables>;
  let open: { close(): Promise<unknown> }[];

  beforeEach(async () => {
    ({ url } = await migratedDatabase('engine', async (fresh) => {
      const room = openDatabase<Tables>({ url: fresh, schema: SCHEMA, log });
      await migrate(room, [
        migration('0001', ENGINE_SQL),
        { name: '0002-effects', sql: 'create table effect (id serial, what text not null)' },
      ]);
      await room.close();
    }));
    database = openDatabase<Tables>({ url, schema: SCHEMA, log, waitMs: CONNECTION_WAIT_MS });
    open = [database];
  });

  afterEach(async () => {
    for (const one of open.reverse()) await one.close();
  });

  function start(options: Partial<EngineOptions<Tables>> & { poolSize?: number } = {}): Process {
    const { poolSize = 6, ...engineOptions } = options;
    const own = openDatabase<Tables>({ url, schema: SCHEMA, log, poolSize, waitMs: CONNECTION_WAIT_MS });
    const faults = new Faults();
    own.pool.on('connect', (client) => faults.watch(client as unknown as pg.Client));
    const engine = new Engine<Tables>({
      database: own,
      log,
      slots: { words: 8, slow: 1 },
      random: () => 0.5,
      ...engineOptions,
    });
    let isKilled = false;
    void faults.killed.then(() => {
      isKilled = true;
      // Its timers and its listener would go on. Nothing that this awaits comes.
      void engine.stop(0);
    });
    open.push({
      close: async () => {
        if (isKilled) return;
        await engine.stop(0);
        await own.close();
      },
    });
    return { engine, database: own, faults };
  }

  return {
    db: () => database.db,
    url: () => url,
    /** Makes a process. Its engine is stopped with the test. */
    process: start,
    /** What was written, in the order in which it was committed. */
    effects: async () =>
      (await database.db.selectFrom('effect').select('what').orderBy('id').execute()).map(({ what }) => what),
    rows: () => database.db.selectFrom('work').selectAll().orderBy('id').execute(),
    lanes: () => database.db.selectFrom('lane').selectAll().orderBy('key').execute(),
    /** Removes everything. */
    clear: async () => {
      await database.db.deleteFrom('work').execute();
      await database.db.deleteFrom('lane').execute();
      await database.db.deleteFrom('effect').execute();
    },
    /** Lets all leases end, as if their time were over. */
    endLeases: () =>
      database.db
        .updateTable('lane')
        .set({ leased_until: new Date(0) })
        .where('leased_until', 'is not', null)
        .execute(),
    /** Lets all retries be due. */
    endPauses: async () => {
      await database.db
        .updateTable('work')
        .set({ not_before: new Date(0) })
        .where('done_at', 'is', null)
        .execute();
      await database.db
        .updateTable('lane')
        .set({ wake_at: new Date(0) })
        .where('wake_at', 'is not', null)
        .execute();
    },
  };
}

/** Writes an effect. */
export async function writeEffect(tx: Tx<Tables>, what: string): Promise<void> {
  await tx.insertInto('effect').values({ what, id: undefined }).execute();
}
