import { sql } from 'kysely';

import type { Delivery } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { AttemptJob } from './jobs.ts';
import { isGivenUp, type Verdict } from './verdict.ts';

export interface Attempted {
  job: AttemptJob;
  verdict: Verdict;
  at: Date;
  now: Date;
  /** Milliseconds until the next attempt, or null where there is none. */
  waitMs: number | null;
}

/** What an attempt came to: nothing where the delivery has moved on, else whether its webhook was given up by it. */
export type Recorded = 'moved-on' | 'recorded' | 'given-up';

/** Writes down an attempt and what it means for the delivery and its webhook. */
export async function recordAttempt(tx: ServiceTx, attempted: Attempted): Promise<Recorded> {
  const { job, verdict, at, now, waitMs } = attempted;
  const entry: Delivery['attempts'][number] = {
    at: at.toISOString(),
    durationMs: Math.max(0, now.getTime() - at.getTime()),
    status: verdict.status,
    error: verdict.error,
  };
  const again = verdict.kind === 'failed' && waitMs !== null;
  const { numUpdatedRows } = await tx
    .updateTable('delivery')
    .set({
      state: verdict.kind === 'delivered' ? 'delivered' : again ? 'pending' : 'failed',
      step: job.step + 1,
      attempts: sql<string>`attempts || ${JSON.stringify([entry])}::jsonb`,
      next_attempt_at: again ? new Date(now.getTime() + waitMs) : null,
      delivered_at: verdict.kind === 'delivered' ? now : null,
      updated_at: now,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.deliveryId)
    .where('round', '=', job.round)
    .where('step', '=', job.step)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return 'moved-on';
  return (await recordHealth(tx, attempted)) ? 'given-up' : 'recorded';
}

/**
 * An event counts as failed once, at its first attempt; one success forgives everything before it. Whether the webhook
 * was switched off by this.
 */
async function recordHealth(tx: ServiceTx, { job, verdict, now }: Attempted): Promise<boolean> {
  const webhook = tx
    .updateTable('webhook')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.webhookId);
  if (verdict.kind === 'delivered') {
    // Nothing to write is the usual case, and then its row is not locked.
    await webhook
      .set({ failing_since: null, failed_events: 0 })
      .where('failing_since', 'is not', null)
      .execute();
    return false;
  }
  const failed = await webhook
    .set((column) => ({
      failing_since: sql<Date>`coalesce(failing_since, ${now})`,
      failed_events: column('failed_events', '+', job.step === 0 && job.round === 0 ? 1 : 0),
    }))
    .returning(['failing_since', 'failed_events'])
    .executeTakeFirst();
  if (!failed) return false;
  const health = { failingSince: failed.failing_since, failedEvents: failed.failed_events };
  if (verdict.kind !== 'gone' && !isGivenUp(health, now)) return false;
  const { numUpdatedRows } = await webhook
    .set({ active: false, updated_at: now })
    .where('active', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a delivery whose webhook was switched off before it was sent. */
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
