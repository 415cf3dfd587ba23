import { sql } from 'kysely';

import { databaseErrorCode, type Tx } from '../database/open.ts';
import { LeaseLost } from './errors.ts';
import { type ClaimedRow, type FetchedJob, fetchedJob } from './fetch-jobs.ts';
import type { JobTables } from './tables.ts';
import { type Claim, type Ending, held } from './statements.ts';

/**
 * What a job's own transaction achieved: it also promotes the next job of the ordering key, or claims it for this worker
 * and resolves to it, or the worker has to promote it after the commit.
 */
export type Completed = 'promoted' | 'marked' | FetchedJob;

/**
 * Marks a job done in the handler's transaction; after the commit, the worker removes it and promotes the next one.
 *
 * Deliberately without the lock of the ordering key: the same transaction may enqueue jobs with other keys whose
 * handlers enqueue jobs with this one (the inbox and outbox jobs of a conversation do just that), and the two would
 * deadlock. The row stays until the worker, or after its death the next worker that fetches, has promoted the next job
 * under the lock.
 */
export async function completeJob<Tables extends JobTables>(tx: Tx<Tables>, claim: Claim): Promise<'marked'> {
  const marked = await sql`
    update job set state = 'done' where ${sql.raw(held(claim))} and state in ('running', 'done') returning 1`.execute(
    tx,
  );
  if (marked.rows.length === 0) throw new LeaseLost(claim.id);
  return 'marked';
}

/**
 * Removes a job and promotes the next one of its ordering key, as the last statement of the handler's transaction:
 * saves a commit and two round trips compared with `completeJob`. If the key is locked at the moment, it does what
 * `completeJob` does.
 */
export async function completeJobLast<Tables extends JobTables>(
  tx: Tx<Tables>,
  { id, worker, fence, queue, orderingKey }: Claim,
): Promise<'promoted' | 'marked'> {
  const { rows } = await sql<{ completed: 'promoted' | 'marked' | null }>`
    select complete_job(${id}, ${worker}, ${fence}, ${queue}, ${orderingKey}) as completed`.execute(tx);
  const completed = rows[0]?.completed;
  if (!completed) throw new LeaseLost(id);
  return completed;
}

/** What the function `end_job` raises if another worker has the job. */
const CLAIM_LOST = 'JB001';

/**
 * Ends a job by a statement of the handler that calls `end_job` or `end_jobs`; undefined if the statement did nothing.
 */
export async function completeJobWith(
  ending: Ending,
  statement: (ending: Ending) => Promise<Completed | undefined>,
): Promise<Completed | undefined> {
  try {
    return await statement(ending);
  } catch (error) {
    if (databaseErrorCode(error) === CLAIM_LOST) throw new LeaseLost(ending.id);
    throw error;
  }
}

/** A claim as `end_jobs` takes it. */
export function endingRow({ id, queue, orderingKey, worker, fence, nextLeaseMs }: Ending) {
  return { id, queue, ordering_key: orderingKey, worker, fence, next_lease_ms: nextLeaseMs };
}

/** A row of the result of `end_jobs`. */
export interface EndedRow {
  ended: 'promoted' | 'marked';
  next: ClaimedRow | null;
}

/**
 * @param row undefined if the claim is lost.
 * @param prefetched what the statement read for the next job.
 */
export function completedBy(
  { id, worker }: Ending,
  row: EndedRow | undefined,
  prefetched?: unknown,
): Completed {
  if (!row) throw new LeaseLost(id);
  return row.next ? fetchedJob({ ...row.next, prefetched }, worker) : row.ended;
}
