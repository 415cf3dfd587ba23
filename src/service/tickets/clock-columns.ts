import { isDeepStrictEqual } from 'node:util';

import type { ServiceTx } from '../handler.ts';
import { type DueTimes, dueTimes, isRunning, targetsOf } from './due-times.ts';
import { keyOf, type StoredTicket } from './find.ts';
import { groupOf } from './statuses.ts';
import { recordStop, stopReason, stopsOf } from './stops.ts';

/** What a ticket's clocks depend on. */
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
): Promise<Partial<DueTimes> & { snooze_until?: null }> {
  const awake = isRunning(after) ? {} : { snooze_until: null };
  if (CLOCK_COLUMNS.every((column) => isDeepStrictEqual(before[column], after[column]))) return awake;
  const key = keyOf(before);
  const queue = await targetsOf(tx, key.workspaceId, after.queue_id);
  const { kind } = await groupOf(tx, key.workspaceId, after.status_id);
  const stops = await recordStop(tx, key, await stopsOf(tx, key), stopReason(after, kind, queue), now);
  return { ...dueTimes(queue, after, stops), ...awake };
}
