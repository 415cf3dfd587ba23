import { CHANNEL, type Runner } from './statements.ts';

// A worker holds the advisory lock of its name on its listening connection. When its process is killed, Postgres closes
// that connection and frees the lock at once; a lease alone would block its ordering keys until it runs out.
const workerLock = (worker: string) =>
  `hashtextextended(concat_ws(chr(31), current_schema(), 'worker', ${worker}), 0)`;

// Shared, so that a reopened connection need not wait for the end of the one that went silent.
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
  where queue = $1 and worker = $2 and state in ('running', 'done') and not (ordering_key = any($3::text[]))
    and lease_until > statement_timestamp()
  returning queue
)
select pg_notify(${CHANNEL}, queue) from freed`;

/**
 * Ends the leases of claims with this worker's name that it does not know of: the answer was lost with the connection,
 * or their outcome could not be recorded. The next worker that fetches takes them over.
 * @param running the ordering keys of which this worker runs a job.
 * @returns how many there were.
 */
export async function freeUnknown(
  runner: Runner,
  queue: string,
  worker: string,
  running: readonly string[],
): Promise<number> {
  const { rows } = await runner.query({ text: FREE_OWN, values: [queue, worker, running] });
  return rows.length;
}

/** Signals that this worker is alive, for as long as `connection` is open. */
export async function showAlive(connection: Runner, worker: string): Promise<void> {
  await connection.query({ text: HOLD, values: [worker] });
}

/**
 * Ends the leases of dead workers. A live worker may lose its connection for a moment, so only one that had no lock at
 * the previous check either (`suspects`) counts as dead. If it is alive after all, its claims are void by their fence,
 * as with any lost lease.
 * @returns the suspects for the next check.
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
