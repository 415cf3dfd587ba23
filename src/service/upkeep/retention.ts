import { sql } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/repeating.ts';
import { pruneFiles } from '../files/retention.ts';
import type { FileStorage } from '../files/storage.ts';
import type { ServiceDb } from '../handler.ts';
import { pruneClients } from '../oauth/clients.ts';
import { pruneDrafts } from '../saved/drafts.ts';
import { pruneReplyDrafts } from '../saved/reply-drafts.ts';
import { pruneSignIns } from '../sign-in/retention.ts';
import { UNREAD_MS } from '../tickets/shown.ts';
import type { ServiceEngine } from '../work.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 60 * 60 * 1000;
const FORGET_EVERY_MS = 10_000;
/** Days for which a notification is kept in an inbox. */
const INBOX_DAYS = 90;
/** Days for which a repeated call of an AI tool is recognised. */
const CALL_DAYS = 7;

export interface RetentionOptions {
  db: ServiceDb;
  storage: FileStorage;
  clock: Clock;
  log: Log;
  /** Days for which a finished delivery is kept. */
  days: number;
  /** Days for which an entry of the audit log is kept; absent: for good. */
  auditDays?: number | undefined;
  /** Milliseconds between runs; default an hour. */
  everyMs?: number;
}

/** Deletes old deliveries, events, runs of workflows, audit entries, drafts, sessions and unused files in batches until it is stopped. */
export function startRetention({
  db,
  storage,
  clock,
  log,
  days,
  auditDays,
  everyMs = EVERY_MS,
}: RetentionOptions): Running {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const look = async () => {
    try {
      const daysAgo = (count: number) => new Date(clock.now().getTime() - count * DAY_MS);
      await deleteInBatches(db, 'session', sql`expires_at <= ${clock.now()}`, stopping.signal);
      const pruned = await pruneDeliveries(db, daysAgo(days), stopping.signal);
      await deleteInBatches(db, 'workflow_run', sql`ended_at < ${daysAgo(days)}`, stopping.signal);
      await pruneSignIns(db, clock.now(), stopping.signal);
      await pruneClients(db, clock.now(), stopping.signal);
      await pruneDrafts(db, clock.now(), stopping.signal);
      await pruneReplyDrafts(db, clock.now(), stopping.signal);
      await deleteInBatches(db, 'tool_call', sql`created_at < ${daysAgo(CALL_DAYS)}`, stopping.signal);
      if (pruned.deliveries + pruned.events > 0) log.info(pruned, 'old deliveries and events forgotten');
      await deleteInBatches(db, 'notification', sql`created_at < ${daysAgo(INBOX_DAYS)}`, stopping.signal);
      const unread = new Date(clock.now().getTime() - UNREAD_MS);
      await deleteInBatches(db, 'ticket_read', sql`seen_at < ${unread}`, stopping.signal);
      const removed = await pruneFiles(db, storage, clock.now(), stopping.signal);
      if (removed.files + removed.contents > 0) log.info(removed, 'unused files removed');
      if (auditDays === undefined) return;
      const old = sql`created_at < ${daysAgo(auditDays)}`;
      const entries = await deleteInBatches(db, 'audit_entry', old, stopping.signal);
      if (entries > 0) log.info({ entries }, 'old audit entries deleted');
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

export interface Forgetting {
  engine: ServiceEngine;
  clock: Clock;
  log: Log;
  /** Milliseconds between runs; default ten seconds. */
  everyMs?: number | undefined;
}

/** Deletes done work every few seconds: what it did is in the tables of what it did it to. */
export function startForgetting({ engine, clock, log, everyMs = FORGET_EVERY_MS }: Forgetting): Running {
  return startRepeating({
    work: async () => {
      await engine.forget(clock.now());
      return false;
    },
    everyMs,
    log,
    failed: 'could not delete done work',
  });
}

/**
 * Deletes what ended before an instant: finished deliveries, which could be repeated until then, and events without
 * deliveries. Pending ones stay, with their events.
 */
export async function pruneDeliveries(
  db: ServiceDb,
  before: Date,
  signal?: AbortSignal,
): Promise<{ deliveries: number; events: number }> {
  const deliveries = await deleteInBatches(
    db,
    'delivery',
    sql`state <> 'pending' and updated_at < ${before}`,
    signal,
  );
  const events = await deleteInBatches(
    db,
    'event',
    sql`created_at < ${before} and not exists (
      select 1 from delivery d where d.workspace_id = event.workspace_id and d.event_id = event.id)`,
    signal,
  );
  return { deliveries, events };
}
