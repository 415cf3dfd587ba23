import { sql } from 'kysely';

import type { Delivery } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { Attempt } from './kinds.ts';
import { isToDisable, type AttemptResult } from './result.ts';

export interface Attempted {
  attempt: Attempt;
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

/** Records an attempt with its delivery and its webhook; a stale delivery stays as it is. */
export async function recordAttempt(tx: ServiceTx, attempted: Attempted): Promise<Recorded> {
  if (!(await updateDelivery(tx, attempted))) return 'stale';
  if (attempted.result.kind === 'delivered') {
    await forgiveWebhook(tx, attempted.attempt);
    return 'recorded';
  }
  return (await recordFailure(tx, attempted)) ? 'disabled' : 'recorded';
}

/** Updates the delivery after its attempt. Returns false if it is stale. */
async function updateDelivery(
  tx: ServiceTx,
  { attempt, result, at, now, waitMs }: Attempted,
): Promise<boolean> {
  const entry: Delivery['attempts'][number] = {
    at: at.toISOString(),
    durationMs: Math.max(0, now.getTime() - at.getTime()),
    status: result.status,
    error: result.error,
  };
  const again = result.kind === 'failed' && waitMs !== null;
  const { numUpdatedRows } = await tx
    .updateTable('delivery')
    .set({
      state: result.kind === 'delivered' ? 'delivered' : again ? 'pending' : 'failed',
      step: attempt.step + 1,
      attempts: sql<string>`attempts || ${JSON.stringify([entry])}::jsonb`,
      next_attempt_at: again ? new Date(now.getTime() + waitMs) : null,
      delivered_at: result.kind === 'delivered' ? now : null,
      updated_at: now,
    })
    .where('workspace_id', '=', attempt.workspaceId)
    .where('id', '=', attempt.deliveryId)
    .where('round', '=', attempt.round)
    .where('step', '=', attempt.step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Resets the failures of a webhook after a success. Usually there are none, and then its row is not locked. */
async function forgiveWebhook(tx: ServiceTx, { workspaceId, webhookId }: Attempt): Promise<void> {
  await tx
    .updateTable('webhook')
    .set({ failing_since: null, failed_events: 0 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .where('failing_since', 'is not', null)
    .execute();
}

/** An event counts as failed once, at its first attempt. Returns whether this disabled the webhook. */
async function recordFailure(tx: ServiceTx, { attempt, result, now }: Attempted): Promise<boolean> {
  const webhook = tx
    .updateTable('webhook')
    .where('workspace_id', '=', attempt.workspaceId)
    .where('id', '=', attempt.webhookId);
  const failed = await webhook
    .set((column) => ({
      failing_since: sql<Date>`coalesce(failing_since, ${now})`,
      failed_events: column('failed_events', '+', attempt.step === 0 && attempt.round === 0 ? 1 : 0),
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
export async function cancelDelivery(tx: ServiceTx, attempt: Attempt, now: Date): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'cancelled', next_attempt_at: null, updated_at: now })
    .where('workspace_id', '=', attempt.workspaceId)
    .where('id', '=', attempt.deliveryId)
    .where('round', '=', attempt.round)
    .where('step', '=', attempt.step)
    .where('state', '=', 'pending')
    .execute();
}
