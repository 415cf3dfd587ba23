import { sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import { LeaseLost } from './errors.ts';
import type { LanesTables } from './schema.ts';
import { type Claim, held } from './statements.ts';

/**
 * How far a job's own transaction brought it: its lane moves on with it, or the worker has to see to that once it is
 * committed.
 */
export type Completed = 'moved' | 'marked';

/**
 * Marks a job done in the handler's transaction; the worker takes it away and moves the lane on after commit.
 *
 * Deliberately without the lane's lock: the same transaction may add to other lanes, whose handlers add to this one
 * (a conversation's lane and its chat lane do just that), and two such would deadlock. The row stays until the worker,
 * or after its death whoever fetches next, has moved the lane on under the lock.
 */
export async function completeJob<Tables extends LanesTables>(
  tx: Tx<Tables>,
  claim: Claim,
): Promise<Completed> {
  const marked = await sql`
    update job set state = 'done' where ${sql.raw(held(claim))} and state in ('running', 'done') returning 1`.execute(
    tx,
  );
  if (marked.rows.length === 0) throw new LeaseLost(claim.id);
  return 'marked';
}

/**
 * Takes a job away and moves its lane on, as the last statement of the handler's transaction: a commit and two round
 * trips less than `completeJob`. Where the lane is locked at this moment it does what `completeJob` does.
 */
export async function completeJobLast<Tables extends LanesTables>(
  tx: Tx<Tables>,
  { id, worker, fence, queue, key }: Claim,
): Promise<Completed> {
  const { rows } = await sql<{ completed: Completed | null }>`
    select complete_job(${id}, ${worker}, ${fence}, ${queue}, ${key}) as completed`.execute(tx);
  const completed = rows[0]?.completed;
  if (!completed) throw new LeaseLost(id);
  return completed;
}
