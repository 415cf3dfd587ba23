import { sql } from 'kysely';

import type { Priority, QueueSettings } from '../../contract/index.ts';
import { addWorkingTime, type Hours } from '../../platform/working-time.ts';
import type { ServiceDb } from '../handler.ts';

/** The targets of a queue, and the hours that they are counted in; null: around the clock. */
export interface QueueTargets {
  targets: QueueSettings['targets'];
  hours: Hours | null;
}

/** The targets of a queue `q`, as columns of a select. The hours are read only if there are targets. */
export const queueTargets = sql`
      nullif(q.settings -> 'targets', 'null'::jsonb) as targets,
      (select json_build_object('timeZone', h.time_zone, 'days', h.days, 'holidays', h.holidays)
        from business_hours h
        where nullif(q.settings -> 'targets', 'null'::jsonb) is not null and h.workspace_id = q.workspace_id
          and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end) as hours`;

/** Returns the targets of a queue. */
export async function targetsOf(db: ServiceDb, workspaceId: string, queueId: string): Promise<QueueTargets> {
  const { rows } = await sql<QueueTargets>`
    select ${queueTargets} from queue q where q.workspace_id = ${workspaceId} and q.id = ${queueId}`.execute(
    db,
  );
  return rows[0] ?? { targets: null, hours: null };
}

/** When a ticket ended, if it has. */
export interface Ends {
  resolved_at: Date | null;
  closed_at: Date | null;
  archived_at: Date | null;
}

export interface Timed extends Ends {
  priority: Priority;
  created_at: Date;
  responded_at: Date | null;
}

/** Returns whether a ticket is neither done nor archived: then its clocks run, and it may be snoozed. */
export function isRunning({ resolved_at, closed_at, archived_at }: Ends): boolean {
  return resolved_at === null && closed_at === null && archived_at === null;
}

/**
 * Returns when a ticket's targets end, counted from its opening; null once met, after its end, or without a target.
 * Waiting for the requester and a snooze do not stop the clocks, and a reopened ticket's go on as if it had never ended.
 */
export function dueTimes({ targets, hours }: QueueTargets, ticket: Timed) {
  const target = isRunning(ticket) ? targets?.[ticket.priority] : undefined;
  const after = (minutes: number | null | undefined) =>
    (minutes && addWorkingTime(hours ?? undefined, ticket.created_at, minutes)) || null;
  return {
    first_reply_due_at: ticket.responded_at === null ? after(target?.responseMinutes) : null,
    resolution_due_at: after(target?.resolutionMinutes),
  };
}
