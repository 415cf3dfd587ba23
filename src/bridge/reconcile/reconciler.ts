import { setTimeout as wait } from 'node:timers/promises';

import { RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { LIMITS } from '../slack/limits.ts';
import { reserveTurn } from '../outbox/pace.ts';
import { paceKey } from '../slack/ids.ts';

export interface ReconcileSettings {
  /** Milliseconds between two looks at the same thing. */
  everyMs: number;
  /** What is younger than this is left to the event that is on its way. */
  settleMs: number;
  /** Reads of chat that reconciliation may make a minute, over all replicas; people's own reads are not counted. */
  readsPerMinute: number;
  retentionDays: number;
}

const SETTLE_AT_MOST_MS = 5_000;

/** What the parts of reconciliation work with. */
export interface Reconciler {
  bridge: Bridge;
  settings: ReconcileSettings;
  /** Awaited before each read of chat: keeps the budget that all replicas share. */
  beforeRead: () => Promise<void>;
  /** Waits for events that may be on their way: seconds, for all that is found waits with it. */
  settle: () => Promise<void>;
  /** Puts the service's webhook right. */
  keepWebhook: () => Promise<void>;
}

/**
 * @param stopping ends a wait for the budget when the process stops.
 * @param keepWebhook absent where nobody listens for the service's events.
 */
export function createReconciler(
  bridge: Bridge,
  settings: ReconcileSettings,
  stopping: AbortSignal,
  keepWebhook: () => Promise<void> = () => Promise.resolve(),
): Reconciler {
  const pause = async (ms: number) => {
    await wait(ms, undefined, { signal: stopping }).catch(() => {
      throw new RetryLater('this process is stopping', { countAttempt: false, afterMs: 0 });
    });
  };
  return {
    bridge,
    settings,
    keepWebhook,
    settle: () => pause(Math.min(settings.settleMs, SETTLE_AT_MOST_MS)),
    beforeRead: async () => {
      const waitMs = await reserveTurn(
        bridge.database.db,
        paceKey(bridge.bot.team, '*', 'reconcile'),
        60_000 / settings.readsPerMinute,
        LIMITS.readsAtOnce,
      );
      if (waitMs > 0) await pause(waitMs);
    },
  };
}

/** A moment as chat's timestamps tell it. */
export function chatTime(at: Date): string {
  return (at.getTime() / 1000).toFixed(6);
}

/** The moment before which everything has settled. */
export function settledUntil({ bridge, settings }: Reconciler): Date {
  return new Date(bridge.clock.now().getTime() - settings.settleMs);
}

/** The moment from which on everything that was stored is still known. */
export function knownSince({ bridge, settings }: Reconciler): Date {
  return new Date(bridge.clock.now().getTime() - settings.retentionDays * 86_400_000);
}
