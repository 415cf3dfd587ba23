import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

import { StatementNames } from './prepared.ts';

/**
 * The database did not answer a statement, or gave no connection: whether the statement was carried out is not known.
 * The driver throws plain errors for this, with nothing to tell them from others; they are wrapped where they come out.
 */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
  /** The system's word for it (`ECONNREFUSED`), where there is one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('the database does not answer', { cause });
    this.code =
      cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  }
}

/**
 * SQLSTATE classes (the first two characters) that say the database cannot work for us now, whatever we asked: no
 * connection (08), not let in (28, 3D), undone or locked out by others (40, 55), full (53), shut down (57), broken (58).
 */
const AWAY_CLASSES = new Set(['08', '28', '3D', '40', '53', '55', '57', '58']);

/** Whether the database cannot work for us at the moment: the same request may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code !== undefined && AWAY_CLASSES.has(error.code.slice(0, 2));
  return error instanceof DatabaseAway;
}

const DISK_FULL = '53100';

/** Whether the database has no room for what was to be written; it may still answer reads. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DISK_FULL;
}

/**
 * SQLSTATE of a prepared statement whose columns are no longer what they were: another process has changed the schema.
 */
export const PLAN_OUTLIVED = '0A000';

/**
 * The pool as the query builder sees it: statements that come again are prepared; what fails without an answer of the
 * database is a DatabaseAway, and the connection on which it happened is not used again. Nor is one whose prepared
 * statements a migration made useless: the statement is made again without its name, or, where that ended a
 * transaction, the transaction is (`again`).
 */
export function tellingPool(pool: pg.Pool): PostgresPool {
  const names = new StatementNames();
  // The query builder knows a connection again by its client.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(tell);
      const own = known.get(client) ?? tellingClient(client, names);
      known.set(client, own);
      return own;
    },
  };
}

function tellingClient(client: pg.PoolClient, names: StatementNames): PostgresPoolClient {
  let lost = false;
  let inTransaction = false;
  const query = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
    const name = lost ? undefined : names.of(text, values);
    try {
      const result = await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      if (BEGINS.has(result.command)) inTransaction = true;
      else if (ENDS.has(result.command)) inTransaction = false;
      return result;
    } catch (error) {
      const isOutlived =
        name !== undefined && error instanceof pg.DatabaseError && error.code === PLAN_OUTLIVED;
      lost ||= isOutlived || !(error instanceof pg.DatabaseError);
      return isOutlived && !inTransaction ? query(text, values) : tell(error);
    }
  };
  return {
    // Its other form, with a cursor, is only for streams, which are not used here.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || lost),
  };
}

const BEGINS = new Set(['BEGIN', 'START']);
const ENDS = new Set(['COMMIT', 'ROLLBACK']);

/** What the database itself said, and mistakes of ours, stay what they are. */
function tell(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError;
  throw error instanceof pg.DatabaseError || isOurs ? error : new DatabaseAway(error);
}
