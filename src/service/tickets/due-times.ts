import { sql } from 'kysely';

import {
  type Priority,
  type QueueSettings,
  type SlaTarget,
  slaTarget,
  type WarningRecipient,
} from '../../contract/index.ts';
import type { Hours } from '../../platform/working-time.ts';
import type { ServiceDb } from '../handler.ts';
import { type ClockFacts, instantAfter, type Stop } from './clock.ts';

/** A queue's settings for the clocks of its tickets. */
export interface QueueTargets {
  targets: QueueSettings['targets'];
  warnings: QueueSettings['warnings'];
  /** The hours that they are counted in; null: around the clock. */
  hours: Hours | null;
  /** Clocks stand while a ticket waits for its requester. */
  pauses: boolean;
  /** Nobody is told of anything. */
  silent: boolean;
}

const NO_TARGETS: QueueTargets = { targets: null, warnings: null, hours: null, pauses: true, silent: false };

/** Returns the targets of a queue. The hours are read only if there are targets. */
export async function readQueueTargets(
  db: ServiceDb,
  workspaceId: string,
  queueId: string,
): Promise<QueueTargets> {
  const { rows } = await sql<QueueTargets>`
    select nullif(q.settings -> 'targets', 'null'::jsonb) as targets,
      nullif(q.settings -> 'warnings', 'null'::jsonb) as warnings,
      coalesce((q.settings ->> 'pauseWhileWaiting')::boolean, true) as pauses,
      coalesce((q.settings ->> 'silentMode')::boolean, false) as silent,
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
  /** The usual time to a first reply when it was opened; null if there was too little data. */
  usual_reply_minutes: number | null;
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
  /** When the first warning comes, whether it was told or not. */
  warn_at: Date | null;
  /** When its requester may expect the first reply. */
  expected_reply_at: Date | null;
}

/**
 * Returns when a ticket's targets end, and since when they are paused; null once met, after its end, or without a
 * target. What is paused ends at no instant yet. A snooze stops no clock.
 */
export function dueTimes(queue: QueueTargets, ticket: Timed, stops: readonly Stop[]): DueTimes {
  const facts = clockFacts(queue, ticket, stops);
  const unmet = unmetTargets(queue, ticket);
  const dueOf = (target: SlaTarget) => {
    const minutes = unmet.find((one) => one.target === target)?.minutes;
    return minutes === undefined ? null : (instantAfter(facts, minutes) ?? null);
  };
  const usual = ticket.usual_reply_minutes ?? targetMinutes(queue, ticket, 'first-reply');
  const expected = ticket.responded_at === null && usual !== null ? instantAfter(facts, usual) : undefined;
  const first = Math.min(...recipientsOf(queue).map(({ percent }) => percent));
  const warnings = unmet.flatMap(({ minutes }) => instantAfter(facts, shareOf(minutes, first)) ?? []);
  const stop = stops.at(-1);
  const isPaused = stop?.to === null && stop.reason === 'waiting' && unmet.length > 0;
  return {
    first_reply_due_at: dueOf('first-reply'),
    resolution_due_at: dueOf('resolution'),
    sla_paused_at: isPaused ? stop.from : null,
    expected_reply_at: expected ?? null,
    warn_at: warnings.length === 0 ? null : new Date(Math.min(...warnings.map(Number))),
  };
}

/** Returns what the clocks of a ticket are computed from. */
export function clockFacts({ hours }: QueueTargets, ticket: Timed, stops: readonly Stop[]): ClockFacts {
  return { start: ticket.created_at, stops, hours: hours ?? undefined };
}

/** Returns the minutes of a target of a ticket's priority; null without one. */
export function targetMinutes(
  { targets }: QueueTargets,
  { priority }: Pick<Timed, 'priority'>,
  target: SlaTarget,
): number | null {
  const { responseMinutes, resolutionMinutes } = targets?.[priority] ?? {};
  return (target === 'first-reply' ? responseMinutes : resolutionMinutes) ?? null;
}

/** Returns the targets of a ticket's priority that are not met yet; whether their clocks run is another question. */
function unmetTargets(queue: QueueTargets, ticket: Timed): { target: SlaTarget; minutes: number }[] {
  const isMet = (target: SlaTarget) => target === 'first-reply' && ticket.responded_at !== null;
  return slaTarget.options.flatMap((target) => {
    const minutes = targetMinutes(queue, ticket, target);
    return minutes === null || isMet(target) ? [] : [{ target, minutes }];
  });
}

/** A recipient of a warning, and the percentage of the target that has passed by then. */
export interface WarnedRecipient {
  percent: number;
  recipient: WarningRecipient;
  /** The person, or the channel in chat; empty for the team. */
  recipientId: string;
}

/** The default: the team is warned when 80% of a target have passed. */
const WARNED_AT = 80;

function recipientsOf({ warnings }: QueueTargets): WarnedRecipient[] {
  const team = { recipient: 'team', recipientId: '' } as const;
  const percent = warnings === null ? WARNED_AT : warnings.percent;
  return [
    ...(percent === null ? [] : [{ ...team, percent }]),
    { ...team, percent: 100 },
    ...(warnings?.escalations ?? []).map(({ percent: of, userId, chatChannelId }): WarnedRecipient =>
      userId === null
        ? { percent: of, recipient: 'channel', recipientId: chatChannelId ?? '' }
        : { percent: of, recipient: 'person', recipientId: userId },
    ),
  ];
}

const shareOf = (minutes: number, percent: number) => (minutes * percent) / 100;

/** A warning of a ticket: whom it is for, when it is due, and when its target ends. */
export interface DueWarning extends WarnedRecipient {
  target: SlaTarget;
  at: Date;
  dueAt: Date | null;
}

/** Returns all warnings of a ticket whose clocks run, in the order of time. */
export function warningsOf(queue: QueueTargets, ticket: Timed, stops: readonly Stop[]): DueWarning[] {
  const facts = clockFacts(queue, ticket, stops);
  return unmetTargets(queue, ticket)
    .flatMap(({ target, minutes }) => {
      const dueAt = instantAfter(facts, minutes) ?? null;
      return recipientsOf(queue).flatMap((warned) => {
        const at = instantAfter(facts, shareOf(minutes, warned.percent));
        return at === undefined ? [] : [{ ...warned, target, at, dueAt }];
      });
    })
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}
