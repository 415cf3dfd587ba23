import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

import { StatementNames } from './prepared.ts';

/**
 * The database did not answer a statement or did not accept a connection: it is unknown whether the statement ran. The
 * driver throws plain errors that look like any other, so they are wrapped where they are thrown.
 */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
  /** The system's error code (`ECONNREFUSED`), if there is one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('the database does not answer', { cause });
    this.code =
      cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  }
}

/**
 * SQLSTATE classes (the first two characters) that mean the database cannot work at the moment, whatever the statement:
 * no connection (08), not authorised (28, 3D), rolled back or locked by others (40, 55), full (53), shut down (57),
 * broken (58).
 */
const AWAY_CLASSES = new Set(['08', '28', '3D', '40', '53', '55', '57', '58']);

/** Returns whether the database is unavailable: the same request may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code !== undefined && AWAY_CLASSES.has(error.code.slice(0, 2));
  return error instanceof DatabaseAway;
}

const DISK_FULL = '53100';

/** Returns whether the database's disk is full; it may still answer reads. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DISK_FULL;
}

/** SQLSTATE of a prepared statement whose columns have changed because another process migrated the schema. */
export const PLAN_OUTLIVED = '0A000';

/**
 * Adapts the pool for the query builder. Repeated statements are prepared. A failure without an answer from the
 * database becomes a DatabaseAway error, and its connection is closed. A connection whose prepared statements a
 * migration invalidated is closed too: the statement is repeated without its name, or, where that ended a transaction,
 * `again` repeats the transaction.
 * @param begin the statements that begin a transaction.
 */
export function tellingPool(pool: pg.Pool, begin = BEGIN): PostgresPool {
  const names = new StatementNames();
  // The query builder identifies a connection by its client.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(rethrow);
      const own = known.get(client) ?? tellingClient(client, names, begin);
      known.set(client, own);
      return own;
    },
  };
}

/** What the query builder sends to begin a transaction of the usual kind. */
const BEGIN = 'begin';

function tellingClient(client: pg.PoolClient, names: StatementNames, begin: string): PostgresPoolClient {
  let lost = false;
  let inTransaction = false;
  const query = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
    const name = lost ? undefined : names.of(text, values);
    try {
      // Of several statements there are several results, which the query builder does not look at.
      const sent = text === BEGIN ? begin : text;
      const result = await client.query({
        text: sent,
        values: [...values],
        ...(name !== undefined && { name }),
      });
      if (text === BEGIN) inTransaction = true;
      else if (ENDS.has(result.command)) inTransaction = false;
      return result;
    } catch (error) {
      const isOutlived =
        name !== undefined && error instanceof pg.DatabaseError && error.code === PLAN_OUTLIVED;
      lost ||= isOutlived || !(error instanceof pg.DatabaseError);
      return isOutlived && !inTransaction ? query(text, values) : rethrow(error);
    }
  };
  return {
    // The overload with a cursor is only for streams, which are not used here.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || lost),
  };
}

const ENDS = new Set(['COMMIT', 'ROLLBACK']);

/** Rethrows the database's own errors and programming mistakes unchanged. */
function rethrow(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError;
  throw error instanceof pg.DatabaseError || isOurs ? error : new DatabaseAway(error);
}
