import { setTimeout as wait } from 'node:timers/promises';

import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { Counter } from 'prom-client';

import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { PLAN_OUTLIVED, tellingPool } from './away.ts';

/** A handle to run statements on: the pool or a transaction. */
export type Db<Tables> = Kysely<Tables>;
/** A handle inside a transaction. Functions that must not run outside one ask for this type. */
export type Tx<Tables> = Transaction<Tables>;

export interface OpenOptions {
  /** `postgres://…`; a unix socket as `postgres://user@/name?host=/directory`. */
  url: string;
  /** The Postgres schema that this room's tables live in; made by `migrate`. */
  schema: string;
  log: Log;
  /** Maximum number of connections; default 10. */
  poolSize?: number;
  /** Milliseconds for which a statement waits for a connection; default 5,000. */
  waitMs?: number;
  /** Name of these connections on the server (`application_name`). */
  name?: string;
  /**
   * Where one plan of a repeated statement is good for all values, as rows are read and written by their keys:
   * `always`, or `in transactions` (writes), beside searches and lists whose plans depend on their values; default
   * nowhere. Postgres then plans a statement once a connection. Otherwise it plans most of them anew for each call,
   * since it takes a list of one key for a list of ten, and that takes longer than running them.
   */
  plansOnce?: 'always' | 'in transactions' | undefined;
}

export interface Database<Tables> {
  readonly db: Db<Tables>;
  readonly schema: string;
  /** For the few hottest statements and for LISTEN; everything else goes through `db`. */
  readonly pool: pg.Pool;
  /** Connection settings for use outside the pool (a listener must not take a connection of the pool). */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

/** Both in one message: a transaction takes no longer to begin. */
const BEGIN_PLANNING_ONCE = 'begin; set local plan_cache_mode to force_generic_plan';

/** Time limit per statement; the longest is an analytics query over all tickets. */
const STATEMENT_MS = 25_000;

// The API's timestamps have milliseconds, so a `timestamptz` is read as a Date, and a bigint as a number (ids and
// counters stay far below 2^53).
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens a pool on one room's schema. Connects lazily: an unreachable database shows at the first statement. */
export function openDatabase<Tables>({
  url,
  schema,
  log,
  poolSize = 10,
  waitMs = 5_000,
  name,
  plansOnce,
}: OpenOptions): Database<Tables> {
  const connection: pg.ClientConfig = {
    connectionString: url,
    options: [
      `-c search_path=${schema},public -c timezone=UTC`,
      // Compiling a search takes seconds where it runs in milliseconds: the planner overestimates its rows.
      '-c jit=off',
      `-c plan_cache_mode=${plansOnce === 'always' ? 'force_generic_plan' : 'auto'}`,
    ].join(' '),
    connectionTimeoutMillis: waitMs,
    // The server's own limit ends a statement first; a database that has not answered some time after that never will.
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 5_000,
    // A transaction of a process that hangs must not keep its locks.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types,
    ...(name === undefined ? {} : { application_name: name }),
  };
  const pool = new pg.Pool({ ...connection, max: poolSize });
  // The next statement reports a connection lost while in use. The pool handles the error event only while the
  // connection is idle; unhandled, it would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  // If the server closes an idle connection, the pool opens another one, unless it is closing.
  let closing = false;
  pool.on('error', (error) => {
    if (!closing) log.warn({ err: error, schema }, 'a database connection was lost');
  });
  const begin = plansOnce === 'in transactions' ? BEGIN_PLANNING_ONCE : 'begin';
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: tellingPool(pool, begin) }) });
  const close = async () => {
    closing = true;
    await db.destroy();
    // The query builder ends only a pool that it has used itself.
    if (!pool.ending) await pool.end();
  };
  return { db, schema, pool, connection, close };
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const AGAIN = new Map([
  [SERIALIZATION_FAILURE, 'serialization'],
  [DEADLOCK, 'deadlock'],
  [PLAN_OUTLIVED, 'migration'],
]);

/** Thrown in a transaction that acted on what another one changed meanwhile: it is rolled back and run again. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}
const OUTDATED = 'outdated';

/**
 * Transactions of this process that were rolled back because of others, by reason. Retries hide them from callers.
 */
const undone = new Map<string, number>();

/** Shows at `/metrics` what retries hide: each deadlock costs a second before Postgres ends it. */
export function registerDatabaseFigures(metrics: Metrics): void {
  new Counter({
    name: 'database_transactions_undone_total',
    help: 'Transactions of this process that were rolled back because of others, and that were retried.',
    labelNames: ['reason'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const reason of [...AGAIN.values(), OUTDATED]) this.inc({ reason }, undone.get(reason) ?? 0);
    },
  });
}
const TRANSACTION_TRIES = 3;
/**
 * After a deadlock, the transaction that Postgres spared takes its lock in this time; a retry at once may outrun it.
 */
const SPARED_MS = 50;

/**
 * Limits the statements that follow in a transaction to what is left of `ms` milliseconds since it began: a statement
 * that takes longer fails (`isOutOfTime`). Called before each of several statements, it limits all of them together.
 */
export async function limitRest<Tables>(tx: Tx<Tables>, ms: number): Promise<void> {
  await sql`select set_config('statement_timeout',
    greatest(1, ${ms} - floor(1000 * extract(epoch from clock_timestamp() - now())))::integer::text, true)`.execute(
    tx,
  );
}

const CANCELED = '57014';

/** Returns whether a statement failed because it took too long. */
export function isOutOfTime(error: unknown): boolean {
  return databaseErrorCode(error) === CANCELED;
}

/**
 * Runs `work` in a transaction (read committed) and retries it as `again` does; so it must have no effect outside the
 * database.
 */
export function transaction<Tables, Result>(
  db: Db<Tables>,
  work: (tx: Tx<Tables>) => Promise<Result>,
): Promise<Result> {
  return retryTransaction(() => db.transaction().execute(work));
}

/**
 * Runs a complete transaction, up to three times if it was rolled back because of another one, or if a migration
 * invalidated a prepared statement.
 */
export async function retryTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const reason = reasonToRetry(error);
      if (reason === undefined) throw error;
      undone.set(reason, (undone.get(reason) ?? 0) + 1);
      if (attempt >= TRANSACTION_TRIES) throw error;
      if (databaseErrorCode(error) === DEADLOCK) await wait(attempt * SPARED_MS);
    }
  }
}

/** Returns why a transaction that failed may succeed when it is run again, or undefined. */
function reasonToRetry(error: unknown): string | undefined {
  if (error instanceof Outdated) return OUTDATED;
  const code = databaseErrorCode(error);
  return code === undefined ? undefined : AGAIN.get(code);
}

/** Returns the five-character SQLSTATE of a database error, or undefined for anything else. */
export function databaseErrorCode(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Resolves when the database answers and its disk has space; rejects with the error otherwise. A function result that
 * exceeds the minimum work memory is written to a temporary file of half a megabyte, which leaves nothing behind.
 */
export async function pingDatabase<Tables>(db: Db<Tables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local work_mem = '64kB'`.execute(tx);
    await sql`select count(*) from generate_series(1, 30000)`.execute(tx);
  });
}

/** Returns the major version of the server at `url`; rejects with why the connection failed. */
export async function databaseVersion(url: string): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  // What is asked next says that the connection was lost; unhandled, it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version_num') as version`,
    );
    return Math.floor(Number(rows[0]?.version) / 10_000);
  } finally {
    await client.end();
  }
}
