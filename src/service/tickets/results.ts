import { type Insertable, sql } from 'kysely';

import type { Priority, SlaTarget } from '../../contract/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { spentUntil, type Stop } from './clock.ts';
import { clockFacts, isRunning, type QueueTargets, targetMinutes, type Timed } from './due-times.ts';
import type { StoredTicket } from './find.ts';

/**
 * Records how a ticket's first reply came, and how it was resolved; a ticket that is reopened is not resolved any more.
 * One that is archived unresolved was not resolved either.
 * @param stops those before the change: what ends it is no stop of the time until then.
 */
export async function recordResults(
  tx: ServiceTx,
  [before, after]: readonly [StoredTicket, StoredTicket],
  queue: QueueTargets,
  stops: readonly Stop[],
  now: Date,
): Promise<void> {
  if (before.responded_at === null && after.responded_at !== null)
    await record(tx, targetResult(after, 'first-reply', queue, stops, now));
  if (!isResolved(before) && isResolved(after))
    await record(tx, targetResult(after, 'resolution', queue, stops, now));
  if (!isRunning(before) && isRunning(after))
    await tx
      .deleteFrom('target_result')
      .where('workspace_id', '=', after.workspace_id)
      .where('ticket_id', '=', after.id)
      .where('target', '=', 'resolution')
      .execute();
}

const isResolved = ({ resolved_at, closed_at }: StoredTicket): boolean =>
  resolved_at !== null || closed_at !== null;

type Result = Insertable<Tables['target_result']>;

/** Returns how a ticket's target was met, or missed, at an instant. */
export function targetResult(
  ticket: Timed & Pick<StoredTicket, 'workspace_id' | 'id' | 'queue_id'>,
  target: SlaTarget,
  queue: QueueTargets,
  stops: readonly Stop[],
  at: Date,
): Result {
  const { open, held, outsideHours } = spentUntil(clockFacts(queue, ticket, stops), at);
  return {
    workspace_id: ticket.workspace_id,
    ticket_id: ticket.id,
    target,
    queue_id: ticket.queue_id,
    priority: ticket.priority,
    minutes: targetMinutes(queue, ticket, target),
    open_minutes: open,
    held_minutes: held,
    outside_minutes: outsideHours,
    at,
  };
}

async function record(tx: ServiceTx, result: Result): Promise<void> {
  await tx
    .insertInto('target_result')
    .values(result)
    .onConflict((known) => known.columns(['workspace_id', 'ticket_id', 'target']).doUpdateSet(result))
    .execute();
}

const DAYS_BACK = 30;
/** The estimate uses this number of the newest first replies, and needs a minimum of them. */
const NEWEST = 200;
const ENOUGH = 5;
/** "Usually": four of five replies came by then. */
const USUAL_PART = 0.8;

/**
 * Returns the business minutes within which four of five of a queue's recent first replies of this priority came;
 * null if there are too few to say.
 */
export async function usualReplyMinutes(
  db: ServiceDb,
  { workspaceId, queueId, priority }: { workspaceId: string; queueId: string; priority: Priority },
  now: Date,
): Promise<number | null> {
  const since = new Date(now.getTime() - DAYS_BACK * 24 * 60 * 60_000);
  const { rows } = await sql<{ usual: number | null }>`
    select case when count(*) >= ${ENOUGH}
      then percentile_disc(${USUAL_PART}::float8) within group (order by open_minutes) end as usual
    from (
      select open_minutes from target_result
      where workspace_id = ${workspaceId} and queue_id = ${queueId} and priority = ${priority}
        and target = 'first-reply' and at >= ${since}
      order by at desc limit ${NEWEST}) newest`.execute(db);
  return rows[0]?.usual ?? null;
}
