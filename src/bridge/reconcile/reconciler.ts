// Compares both sides and repairs what was missed: changes of the service, messages of channels, threads of tickets.
// rebuild.ts restores lost links.

import { setTimeout as wait } from 'node:timers/promises';

import { RetryLater } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import { LIMITS } from '../slack/limits.ts';
import { reserveTurn } from '../outbox/turn.ts';
import { paceKey } from '../slack/ids.ts';

interface ReconcileSettings {
  /** Interval between two checks of the same item. */
  everyMs: number;
  /** More recent items are left to their events. */
  settleMs: number;
  /** Slack reads per minute for reconciliation, over all replicas, not counting interactive ones. */
  readsPerMinute: number;
  retentionDays: number;
}

const SETTLE_AT_MOST_MS = 5_000;

export interface Reconciler {
  bridge: Bridge;
  settings: ReconcileSettings;
  /** Awaited before each Slack read: respects the shared budget. */
  beforeRead: () => Promise<void>;
  /** Waits for events that may be under way: seconds, for all findings together. */
  settle: () => Promise<void>;
  keepWebhook: () => Promise<void>;
  /** By channel, the threads that its last scan need not read again. */
  completeThreads: Map<string, CompleteThreads>;
}

/** By root, the newest reply of threads that were read up to it, with nothing missing. */
export type CompleteThreads = ReadonlyMap<string, string>;

/**
 * @param stopping ends a wait for the budget when the process stops.
 * @param keepWebhook absent if nothing receives the service's events.
 */
export function createReconciler(
  bridge: Bridge,
  settings: ReconcileSettings,
  stopping: AbortSignal,
  keepWebhook: () => Promise<void> = () => Promise.resolve(),
): Reconciler {
  const pause = async (ms: number) => {
    await wait(ms, undefined, { signal: stopping }).catch(() => {
      throw new RetryLater('this process is stopping', { countsAttempt: false, afterMs: 0 });
    });
  };
  return {
    bridge,
    settings,
    keepWebhook,
    completeThreads: new Map(),
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

export function chatTime(at: Date): string {
  return (at.getTime() / 1000).toFixed(6);
}

/** Returns the instant before which all events have arrived. */
export function settledUntil({ bridge, settings }: Reconciler): Date {
  return new Date(bridge.clock.now().getTime() - settings.settleMs);
}

/** Returns the instant since which no record was pruned. */
export function knownSince({ bridge, settings }: Reconciler): Date {
  return new Date(bridge.clock.now().getTime() - settings.retentionDays * 86_400_000);
}
