import { type RawBuilder, sql } from 'kysely';

import { type Db, transaction, type Tx } from '../database/open.ts';
import type { JobTables } from './tables.ts';
import { CHANNEL, orderingKeyLock } from './statements.ts';

// Statements for operators. They run rarely, so they are written to be read.

export interface QueueStats {
  queue: string;
  /** Due; runs as soon as a worker is free and the jobs before it are done. */
  ready: number;
  running: number;
  /** Not due yet: delayed, or waiting for the next attempt. */
  waiting: number;
  dead: number;
  /** Seconds since the oldest job that is not a dead letter was added; 0 if there is none. */
  oldestSeconds: number;
}

export interface DeadJob {
  id: number;
  queue: string;
  orderingKey: string;
  payload: unknown;
  attempts: number;
  reason: string;
  enqueuedAt: Date;
  deadAt: Date;
  /** Whether the later jobs of its ordering key wait for the decision. */
  holds: boolean;
}

type Which = readonly number[] | string;

export async function queueStats<Tables extends JobTables>(
  db: Db<Tables>,
  known: readonly string[],
): Promise<QueueStats[]> {
  const { rows } = await sql<QueueStats>`
    select queue,
      count(id) filter (where state = 'ready' and run_at <= statement_timestamp())::int as ready,
      count(id) filter (where state in ('running', 'done'))::int as running,
      count(id) filter (where state = 'ready' and run_at > statement_timestamp())::int as waiting,
      count(id) filter (where state = 'dead')::int as dead,
      coalesce(extract(epoch from statement_timestamp() - min(enqueued_at) filter (where state <> 'dead')), 0)::float8
        as "oldestSeconds"
    from job full join unnest(${[...known]}::text[]) as known (queue) using (queue)
    group by queue order by queue`.execute(db);
  return rows;
}

export async function listDeadLetters<Tables extends JobTables>(
  db: Db<Tables>,
  queue: string | undefined,
): Promise<DeadJob[]> {
  const { rows } = await sql<DeadJob>`
    select id, queue, ordering_key as "orderingKey", payload, attempts, coalesce(last_error, '') as reason,
      enqueued_at as "enqueuedAt", dead_at as "deadAt", head as holds
    from job where state = 'dead' and ${queue === undefined ? sql`true` : sql`queue = ${queue}`}
    order by id`.execute(db);
  return rows;
}

export async function retryDeadLetters<Tables extends JobTables>(
  db: Db<Tables>,
  which: Which,
): Promise<number> {
  return transaction(db, async (tx) => {
    const ids = await lockDeadLetters(tx, condition(which));
    // Another job may have the same dedupe key by now, which would forbid the return; it has served its purpose.
    const { rows } = await sql`
      update job set state = 'ready', attempts = 0, run_at = clock_timestamp(), dedupe_key = null, dead_at = null,
        error_code = null
      where id = any(${ids}::bigint[]) and state = 'dead' returning 1`.execute(tx);
    // If a later job waits at the head, this one takes its place; if that one runs, as soon as it has finished.
    await sql`
      update job set head = false
      where head and state = 'ready' and (queue, ordering_key) in (select queue, ordering_key from job where id = any(${ids}::bigint[]))`.execute(
      tx,
    );
    await promoteNextJobs(
      tx,
      sql`select distinct queue, ordering_key as key from job where id = any(${ids}::bigint[])`,
    );
    return rows.length;
  });
}

export async function discardDeadLetters<Tables extends JobTables>(
  db: Db<Tables>,
  which: Which,
): Promise<number> {
  return drop(db, condition(which));
}

export async function prune<Tables extends JobTables>(
  db: Db<Tables>,
  olderThanDays: number,
): Promise<number> {
  return drop(db, sql`dead_at < statement_timestamp() - ${olderThanDays} * interval '1 day'`);
}

/** Makes waiting jobs due now. */
export async function runNow<Tables extends JobTables>(
  db: Db<Tables>,
  queue: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with hurried as (
      update job set run_at = statement_timestamp()
      where state = 'ready' and run_at > statement_timestamp()
        and ${queue === undefined ? sql`true` : sql`queue = ${queue}`}
      returning queue
    ), notified as (
      select pg_notify(${sql.raw(CHANNEL)}, queue) from hurried group by queue
    )
    select (select count(*) from hurried)::int as count from (select count(*) from notified) as all_notified`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export async function isSettled<Tables extends JobTables>(
  db: Db<Tables>,
  queues: readonly string[],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from job where queue = any(${[...queues]}::text[])
      and (state in ('running', 'done') or (head and state = 'ready' and run_at <= statement_timestamp()))
    limit 1`.execute(db);
  return rows.length === 0;
}

const condition = (which: Which): RawBuilder<unknown> =>
  typeof which === 'string' ? sql`queue = ${which}` : sql`id = any(${[...which]}::bigint[])`;

async function drop<Tables extends JobTables>(db: Db<Tables>, where: RawBuilder<unknown>): Promise<number> {
  return transaction(db, async (tx) => {
    const ids = await lockDeadLetters(tx, where);
    const { rows } = await sql<{ queue: string; key: string }>`
      delete from job where id = any(${ids}::bigint[]) and state = 'dead' returning queue, ordering_key as key`.execute(
      tx,
    );
    const queues = rows.map((row) => row.queue);
    const keys = rows.map((row) => row.key);
    await promoteNextJobs(
      tx,
      sql`select distinct queue, key from unnest(${queues}::text[], ${keys}::text[]) as i (queue, key)`,
    );
    return rows.length;
  });
}

/** Finds dead letters and locks their ordering keys, in the same order as `enqueue`. */
async function lockDeadLetters<Tables>(tx: Tx<Tables>, where: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from job where state = 'dead' and ${where}`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await sql`
    select pg_advisory_xact_lock(number) from (
      select distinct ${sql.raw(orderingKeyLock('queue', 'ordering_key'))} as number from job where id = any(${ids}::bigint[]) order by 1
    ) as locks`.execute(tx);
  return ids;
}

/** Makes the first job of each of these ordering keys its head, unless it has one, and notifies workers. */
async function promoteNextJobs<Tables>(tx: Tx<Tables>, keys: RawBuilder<unknown>): Promise<void> {
  await sql`select promote_next_job(queue, key) from (${keys}) as ordering`.execute(tx);
}
