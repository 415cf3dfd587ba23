import { isDeepStrictEqual } from 'node:util';

import type { ServiceTx } from '../handler.ts';
import { type DueTimes, dueTimes, isRunning, readQueueTargets } from './due-times.ts';
import { ticketKey, type StoredTicket } from './find.ts';
import { recordResults, usualReplyMinutes } from './results.ts';
import { groupOf } from './statuses.ts';
import { recordStop, stopReason, stopsOf } from './stops.ts';

/** The columns that a ticket's clocks depend on. */
const CLOCK_COLUMNS = [
  'queue_id',
  'priority',
  'status_id',
  'responded_at',
  'resolved_at',
  'closed_at',
  'archived_at',
] as const;

/** Records whether a ticket's clocks stand or run from now on; returns what follows. Its end ends its snooze too. */
export async function clockColumns(
  tx: ServiceTx,
  before: StoredTicket,
  after: StoredTicket,
  now: Date,
): Promise<Partial<DueTimes & Pick<StoredTicket, 'usual_reply_minutes' | 'snooze_until'>>> {
  const awake = isRunning(after) ? {} : { snooze_until: null };
  if (CLOCK_COLUMNS.every((column) => isDeepStrictEqual(before[column], after[column]))) return awake;
  const key = ticketKey(before);
  const queue = await readQueueTargets(tx, key.workspaceId, after.queue_id);
  const { kind } = await groupOf(tx, key.workspaceId, after.status_id);
  const past = await stopsOf(tx, key);
  await recordResults(tx, [before, after], queue, past, now);
  const stops = await recordStop(tx, key, past, stopReason(after, kind, queue), now);
  const usual = await usualReplyColumn(tx, [before, after], now);
  return { ...dueTimes(queue, { ...after, ...usual }, stops), ...usual, ...awake };
}

/** Another queue or priority has another usual time of a first reply. */
async function usualReplyColumn(
  tx: ServiceTx,
  [before, after]: readonly [StoredTicket, StoredTicket],
  now: Date,
): Promise<Pick<StoredTicket, 'usual_reply_minutes'>> {
  const { workspace_id: workspaceId, queue_id: queueId, priority, usual_reply_minutes } = after;
  if (before.queue_id === queueId && before.priority === priority) return { usual_reply_minutes };
  return { usual_reply_minutes: await usualReplyMinutes(tx, { workspaceId, queueId, priority }, now) };
}
