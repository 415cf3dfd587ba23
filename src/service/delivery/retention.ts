import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb } from '../handler.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 60 * 60 * 1000;
/** Rows of one statement: few enough that nobody waits for their locks. */
const BATCH = 1_000;

export interface RetentionOptions {
  db: ServiceDb;
  clock: Clock;
  log: Log;
  /** How long a delivery is kept after it succeeded. */
  days: number;
  /** Milliseconds from one look to the next; an hour when absent. */
  everyMs?: number;
}

/** Forgets old deliveries and events, a batch after the other, until it is stopped. */
export function startRetention({ db, clock, log, days, everyMs = EVERY_MS }: RetentionOptions): Running {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const look = async () => {
    try {
      const before = new Date(clock.now().getTime() - days * DAY_MS);
      const pruned = await prune(db, before, stopping.signal);
      if (pruned.deliveries + pruned.events > 0) log.info(pruned, 'old deliveries and events forgotten');
    } catch (error) {
      log.warn({ err: error }, 'could not prune');
    }
  };
  const timer = setInterval(() => {
    running ??= look().finally(() => (running = undefined));
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/**
 * Forgets what succeeded before an instant, and events that no delivery is left of. What was not delivered, because it
 * still waits, was given up or was cancelled, stays with its event as long as its webhook: it can still be repeated.
 */
export async function prune(
  db: ServiceDb,
  before: Date,
  signal?: AbortSignal,
): Promise<{ deliveries: number; events: number }> {
  const deliveries = await inBatches(signal, async () => {
    const { rows } = await sql`
      delete from delivery where (workspace_id, id) in (
        select workspace_id, id from delivery where state = 'delivered' and delivered_at < ${before}
        limit ${BATCH} for update skip locked) returning 1`.execute(db);
    return rows.length;
  });
  const events = await inBatches(signal, async () => {
    const { rows } = await sql`
      delete from event where (workspace_id, id) in (
        select e.workspace_id, e.id from event e where e.created_at < ${before}
          and not exists (select 1 from delivery d where d.workspace_id = e.workspace_id and d.event_id = e.id)
        limit ${BATCH} for update skip locked) returning 1`.execute(db);
    return rows.length;
  });
  return { deliveries, events };
}

async function inBatches(signal: AbortSignal | undefined, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await batch();
    total += count;
    if (count < BATCH || signal?.aborted) return total;
  }
}
