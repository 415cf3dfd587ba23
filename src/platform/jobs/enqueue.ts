import { type RawBuilder, sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import type { ClaimedRow } from './fetch-jobs.ts';
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

/**
 * The same as an expression in the caller's own statement, which saves a round trip.
 * @param rows further jobs, which the statement itself makes: the name of a relation in it with the columns `queue`,
 *   `ordering_key` and `payload` (jsonb).
 * @param takers the workers that may claim some of them, from `NewClaims.adding`; the expression's value are the claimed
 *   jobs.
 */
export function enqueueing(
  jobs: readonly NewJob[],
  rows?: string,
  takers: string | null = null,
): RawBuilder<ClaimedRow[] | null> {
  const queues = jobs.map((job) => job.queue);
  const keys = jobs.map((job) => job.orderingKey);
  const dedupes = jobs.map((job) => job.dedupeKey ?? null);
  const payloads = jobs.map((job) => JSON.stringify(tracedPayload(job.payload)));
  const delays = jobs.map((job) => job.delayMs ?? 0);
  const more = (column: RawBuilder<unknown>) =>
    rows === undefined ? sql`` : sql` || array(select ${column} from ${sql.table(rows)})`;
  const trace = JSON.stringify(tracedPayload({}));
  return sql`
    enqueue_jobs(${queues}::text[]${more(sql`queue`)}, ${keys}::text[]${more(sql`ordering_key`)},
      ${dedupes}::text[]${more(sql`null::text`)}, ${payloads}::text[]${more(sql`(payload || ${trace}::jsonb)::text`)},
      ${delays}::float8[]${more(sql`0::float8`)}, ${takers}::json)`;
}
