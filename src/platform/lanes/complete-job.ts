import { sql } from 'kysely';

import type { Tx } from '../database/open.ts';
import { LeaseLost } from './errors.ts';
import type { LanesTables } from './schema.ts';
import { type Claim, held } from './statements.ts';

/**
 * Marks a job done in the handler's transaction; the worker takes it away and moves the lane on after commit.
 *
 * Deliberately without the lane's lock: the same transaction may have added to other lanes, whose handlers add to
 * this one (a conversation's lane and its chat lane do just that), and two such would deadlock. The row stays until
 * the worker, or after its death whoever fetches next, has moved the lane on under the lock.
 */
export async function completeJob<Tables extends LanesTables>(tx: Tx<Tables>, claim: Claim): Promise<void> {
  const marked = await sql`
    update job set state = 'done' where ${sql.raw(held(claim))} and state in ('running', 'done') returning 1`.execute(
    tx,
  );
  if (marked.rows.length === 0) throw new LeaseLost(claim.id);
}
