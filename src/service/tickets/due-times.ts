import { sql } from 'kysely';

import type { Priority, QueueSettings } from '../../contract/index.ts';
import type { Hours } from '../../platform/working-time.ts';
import type { ServiceDb } from '../handler.ts';
import { instantAfter, type Stop } from './clock.ts';

/** What a queue says of the clocks of its tickets. */
export interface QueueTargets {
  targets: QueueSettings['targets'];
  /** The hours that they are counted in; null: around the clock. */
  hours: Hours | null;
  /** Clocks stand while a ticket waits for its requester. */
  pauses: boolean;
}

const NO_TARGETS: QueueTargets = { targets: null, hours: null, pauses: true };

/** Returns the targets of a queue. The hours are read only if there are targets. */
export async function targetsOf(db: ServiceDb, workspaceId: string, queueId: string): Promise<QueueTargets> {
  const { rows } = await sql<QueueTargets>`
    select nullif(q.settings -> 'targets', 'null'::jsonb) as targets,
      coalesce((q.settings ->> 'pauseWhileWaiting')::boolean, true) as pauses,
      (select json_build_object('timeZone', h.time_zone, 'days', h.days, 'holidays', h.holidays)
        from business_hours h
        where nullif(q.settings -> 'targets', 'null'::jsonb) is not null and h.workspace_id = q.workspace_id
          and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end) as hours
    from queue q where q.workspace_id = ${workspaceId} and q.id = ${queueId}`.execute(db);
  return rows[0] ?? NO_TARGETS;
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

/** Returns whether a ticket is neither done nor archived: then it has clocks, and it may be snoozed. */
export function isRunning({ resolved_at, closed_at, archived_at }: Ends): boolean {
  return resolved_at === null && closed_at === null && archived_at === null;
}

/** The columns of a ticket that follow from its clocks. */
export interface DueTimes {
  first_reply_due_at: Date | null;
  resolution_due_at: Date | null;
  sla_paused_at: Date | null;
}

/**
 * Returns when a ticket's targets end, and since when they are paused; null once met, after its end, or without a target.
 * What is paused ends at no instant yet. A snooze stops no clock.
 */
export function dueTimes({ targets, hours }: QueueTargets, ticket: Timed, stops: readonly Stop[]): DueTimes {
  const target = targets?.[ticket.priority];
  const firstReply = ticket.responded_at === null ? target?.responseMinutes : null;
  const resolution = target?.resolutionMinutes;
  const facts = { start: ticket.created_at, stops, hours: hours ?? undefined };
  const after = (minutes: number | null | undefined) => (minutes && instantAfter(facts, minutes)) || null;
  const stop = stops.at(-1);
  const isPaused = stop?.to === null && stop.reason === 'waiting' && Boolean(firstReply ?? resolution);
  return {
    first_reply_due_at: after(firstReply),
    resolution_due_at: after(resolution),
    sla_paused_at: isPaused ? stop.from : null,
  };
}
