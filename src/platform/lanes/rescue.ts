import { CHANNEL, type Runner } from './statements.ts';

// A worker holds the advisory lock of its name on its listening connection. When its process is killed, Postgres
// closes that connection and frees the lock at once; a lease alone would keep its lanes waiting for its whole length.
const workerLock = (worker: string) =>
  `hashtextextended(concat_ws(chr(31), current_schema(), 'worker', ${worker}), 0)`;

// Shared, so that a connection that is made again need not wait for the end of the one that went silent.
const HOLD = `select pg_advisory_lock_shared(${workerLock('$1::text')})`;

const WITHOUT_LOCK = `
with others as materialized (
  select distinct worker from job where state in ('running', 'done') and worker <> $1
)
select worker from others where pg_try_advisory_xact_lock(${workerLock('worker')})`;

const FREE = `
with freed as (
  update job set lease_until = statement_timestamp()
  where state in ('running', 'done') and worker = any($1::text[]) and lease_until > statement_timestamp()
  returning queue
)
select pg_notify(${CHANNEL}, queue) from (select distinct queue from freed) as queues`;

const FREE_OWN = `
with freed as (
  update job set lease_until = statement_timestamp()
  where queue = $1 and worker = $2 and state in ('running', 'done') and not (id = any($3::bigint[]))
    and lease_until > statement_timestamp()
  returning queue
)
select pg_notify(${CHANNEL}, queue) from freed`;

/**
 * Ends the leases of claims that bear this worker's name and that it knows nothing of: they were made, and the answer
 * was lost with the database; or it could not tell what became of them. Whoever comes first takes them over.
 * @returns how many there were.
 */
export async function freeUnknown(
  runner: Runner,
  queue: string,
  worker: string,
  known: readonly number[],
): Promise<number> {
  const { rows } = await runner.query({ text: FREE_OWN, values: [queue, worker, known] });
  return rows.length;
}

/** Shows others that this worker lives, for as long as `connection` does. */
export async function showAlive(connection: Runner, worker: string): Promise<void> {
  await connection.query({ text: HOLD, values: [worker] });
}

/**
 * Ends the leases of workers that are gone. A worker may lose its connection for a moment and live: only one that was
 * without its lock at the last look too (`suspects`) counts as gone. If it lives after all, its claims are void by
 * their fence, as with any lost lease.
 * @returns the suspects for the next look.
 */
export async function rescue(
  connection: Runner,
  worker: string,
  suspects: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query({ text: WITHOUT_LOCK, values: [worker] });
  const absent = rows.map((row) => String(row.worker));
  const gone = absent.filter((name) => suspects.has(name));
  if (gone.length > 0) await connection.query({ text: FREE, values: [gone] });
  return new Set(absent);
}
