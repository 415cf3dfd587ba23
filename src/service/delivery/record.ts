import { type QueryCreator, sql } from 'kysely';

import type { Delivery } from '../../contract/index.ts';
import type { Claim, Completed } from '../../platform/jobs/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import type { AttemptJob } from './jobs.ts';
import { isToDisable, type AttemptResult } from './result.ts';

export interface Attempted {
  job: AttemptJob;
  result: AttemptResult;
  at: Date;
  now: Date;
  /** Milliseconds until the next attempt, or null if there is none. */
  waitMs: number | null;
}

/**
 * The outcome of recording an attempt: nothing if the delivery is stale, else whether its webhook was disabled by it.
 */
export type Recorded = 'stale' | 'recorded' | 'disabled';

/** Records a success and ends its job, in one statement; a stale delivery stays as it is. */
export async function recordSuccess(
  db: ServiceDb,
  attempted: Attempted,
  { id, worker, fence, queue, orderingKey }: Claim,
): Promise<Completed> {
  const { ended } = await db
    .with('recorded', (part) => updatedDelivery(part, attempted))
    .with('forgiven', (part) => forgivenWebhook(part, attempted.job))
    .selectNoFrom(sql<Completed>`end_job(${id}, ${worker}, ${fence}, ${queue}, ${orderingKey})`.as('ended'))
    .executeTakeFirstOrThrow();
  return ended;
}

/** Records an attempt that failed and updates the delivery and its webhook. */
export async function recordAttempt(tx: ServiceTx, attempted: Attempted): Promise<Recorded> {
  const delivery = await updatedDelivery(tx, attempted).executeTakeFirst();
  if (!delivery) return 'stale';
  return (await recordFailure(tx, attempted)) ? 'disabled' : 'recorded';
}

/** Updates the delivery after its attempt; nothing if it is stale. */
function updatedDelivery(db: QueryCreator<Tables>, { job, result, at, now, waitMs }: Attempted) {
  const entry: Delivery['attempts'][number] = {
    at: at.toISOString(),
    durationMs: Math.max(0, now.getTime() - at.getTime()),
    status: result.status,
    error: result.error,
  };
  const again = result.kind === 'failed' && waitMs !== null;
  return db
    .updateTable('delivery')
    .set({
      state: result.kind === 'delivered' ? 'delivered' : again ? 'pending' : 'failed',
      step: job.step + 1,
      attempts: sql<string>`attempts || ${JSON.stringify([entry])}::jsonb`,
      next_attempt_at: again ? new Date(now.getTime() + waitMs) : null,
      delivered_at: result.kind === 'delivered' ? now : null,
      updated_at: now,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.deliveryId)
    .where('round', '=', job.round)
    .where('step', '=', job.step)
    .returning('id');
}

/**
 * Resets the failures of a `recorded` delivery's webhook after a success. Usually there is nothing to write, and then
 * its row is not locked.
 */
function forgivenWebhook(db: QueryCreator<Tables>, { workspaceId, webhookId }: AttemptJob) {
  return db
    .updateTable('webhook')
    .set({ failing_since: null, failed_events: 0 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .where('failing_since', 'is not', null)
    .where(sql<boolean>`exists (select from recorded)`);
}

/** An event counts as failed once, at its first attempt. Returns whether this disabled the webhook. */
async function recordFailure(tx: ServiceTx, { job, result, now }: Attempted): Promise<boolean> {
  const webhook = tx
    .updateTable('webhook')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.webhookId);
  const failed = await webhook
    .set((column) => ({
      failing_since: sql<Date>`coalesce(failing_since, ${now})`,
      failed_events: column('failed_events', '+', job.step === 0 && job.round === 0 ? 1 : 0),
    }))
    .returning(['failing_since', 'failed_events'])
    .executeTakeFirst();
  if (!failed) return false;
  const health = { failingSince: failed.failing_since, failedEvents: failed.failed_events };
  if (result.kind !== 'gone' && !isToDisable(health, now)) return false;
  const { numUpdatedRows } = await webhook
    .set({ active: false, deactivated_reason: result.kind === 'gone' ? 'gone' : 'failing', updated_at: now })
    .where('active', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Cancels a delivery whose webhook was disabled before it was sent. */
export async function cancelDelivery(tx: ServiceTx, job: AttemptJob, now: Date): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'cancelled', next_attempt_at: null, updated_at: now })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.deliveryId)
    .where('round', '=', job.round)
    .where('step', '=', job.step)
    .where('state', '=', 'pending')
    .execute();
}
