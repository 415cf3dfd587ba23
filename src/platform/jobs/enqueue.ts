import { type RawBuilder, sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import type { NewJob } from './job.ts';
import type { JobTables } from './tables.ts';
import { tracedPayload } from './trace.ts';

/**
 * Adds jobs in the caller's transaction: they exist if and only if it commits, and workers are notified then.
 *
 * Locks the jobs' ordering keys until then, in a fixed order, so that one call with several jobs cannot deadlock with
 * another; two calls in one transaction could. Take row locks first: the order everywhere is rows, then ordering keys.
 */
export async function enqueue<Tables extends JobTables>(
  tx: Tx<Tables>,
  jobs: readonly NewJob[],
): Promise<void> {
  if (jobs.length > 0) await sql`select ${enqueueing(jobs)}`.execute(tx);
}

/** The same as an expression in the caller's own statement, which saves a round trip. */
export function enqueueing(jobs: readonly NewJob[]): RawBuilder<void> {
  const queues = jobs.map((job) => job.queue);
  const keys = jobs.map((job) => job.orderingKey);
  const dedupes = jobs.map((job) => job.dedupeKey ?? null);
  const payloads = jobs.map((job) => JSON.stringify(tracedPayload(job.payload)));
  const delays = jobs.map((job) => job.delayMs ?? 0);
  return sql`
    enqueue_jobs(${queues}::text[], ${keys}::text[], ${dedupes}::text[], ${payloads}::text[], ${delays}::float8[])`;
}
