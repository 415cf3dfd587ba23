import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

import { preparedName } from './prepared.ts';

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

/**
 * The pool as the query builder sees it: what fails without an answer of the database is a DatabaseAway, and the
 * connection on which it happened is not used again.
 */
export function tellingPool(pool: pg.Pool): PostgresPool {
  // The query builder knows a connection again by its client.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(tell);
      const own = known.get(client) ?? tellingClient(client);
      known.set(client, own);
      return own;
    },
  };
}

function tellingClient(client: pg.PoolClient): PostgresPoolClient {
  let lost = false;
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      const name = preparedName(text);
      return await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
    } catch (error) {
      lost ||= !(error instanceof pg.DatabaseError);
      return tell(error);
    }
  };
  return {
    // Its other form, with a cursor, is only for streams, which are not used here.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || lost),
  };
}

/** What the database itself said, and mistakes of ours, stay what they are. */
function tell(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError;
  throw error instanceof pg.DatabaseError || isOurs ? error : new DatabaseAway(error);
}
