import pg from 'pg';

/** Runs statements outside a transaction: the pool, or the listener's own connection. */
export interface Runner {
  query(config: {
    name?: string;
    text: string;
    values?: unknown[];
  }): Promise<pg.QueryResult<Record<string, unknown>>>;
}

/** A worker's claim on a job. */
export interface Claim {
  id: number;
  queue: string;
  orderingKey: string;
  worker: string;
  fence: number;
}

/** A claim on a job that is about to end. */
export interface Ending extends Claim {
  /** Milliseconds for which the next job of the ordering key is claimed with it, if it is due; null: it is not. */
  nextLeaseMs: number | null;
}

/** NUL cannot be stored as text. */
export const literal = (text: string) => pg.escapeLiteral(text.replaceAll('\0', '\uFFFD'));

/** The channel that workers of this schema listen on; the payload is the name of a queue with work. */
export const CHANNEL = `'deskbridge_jobs_' || current_schema()`;
export const channelOf = (schema: string) => `deskbridge_jobs_${schema}`;

/**
 * Returns the number of the advisory lock of an ordering key. A transaction that changes the key's head or adds a job
 * to it holds that lock until it commits; otherwise a job could be added behind a head that another transaction is
 * removing, and would never run.
 */
export const orderingKeyLock = (queue: string, key: string) =>
  `hashtextextended(concat_ws(chr(31), current_schema(), 'ordering', ${queue}, ${key}), 0)`;

export const held = (claim: Claim) =>
  `id = ${claim.id} and worker = ${literal(claim.worker)} and fence = ${claim.fence}`;

/**
 * Runs statements as one transaction in one round trip: Postgres runs one simple query as a transaction, each statement
 * with its own snapshot. Begin, lock, change, promote and commit one by one would be five round trips per job; as a
 * single statement, the change would not see what was committed while it waited for the lock. Simple queries have no
 * parameters, hence the literals.
 */
export async function runTogether(
  runner: Runner,
  statements: readonly string[],
): Promise<pg.QueryResult<Record<string, unknown>>[]> {
  const results: unknown = await runner.query({ text: statements.join(';\n') });
  return results as pg.QueryResult<Record<string, unknown>>[];
}
