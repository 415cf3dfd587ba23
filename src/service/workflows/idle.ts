import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { type Hours, workingTimeBefore } from '../../platform/working-time.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';
import { isHandled } from './access.ts';
import { minutesInput } from './actions/inputs.ts';
import { authorKind } from './authors.ts';

// "Nothing happened for a time": since an instant of a ticket, minutes have passed, in business hours perhaps.

/** What has not happened since. */
const IDLE_OF = ['activity', 'team-reply', 'requester-reply', 'status-change'] as const;

const text = z.string().nullish();
/** The inputs of the trigger. */
export const IdleInputs = z.object({
  of: z.enum(IDLE_OF, 'Expected activity, team-reply, requester-reply or status-change').nullish(),
  minutes: minutesInput.refine((minutes) => minutes >= 1, 'Expected a minute or more'),
  businessHours: z.union([z.boolean(), z.string()]).nullish(),
  queueId: text,
  requestTypeId: text,
  priority: text,
  statusId: text,
  statusGroup: text,
});
type Inputs = z.output<typeof IdleInputs>;

/** A trigger that waits for a time in which nothing happens, of a workflow with its queues. */
interface IdleTrigger {
  workspaceId: string;
  queueIds: readonly string[] | null;
  inputs: Readonly<Record<string, unknown>>;
  /** Nothing before it counts; absent: all of it does. */
  countsFrom?: Date;
}

/** From which instant a ticket `t` counts; null: it waits for nothing. Of what workflows and the service do, nothing counts. */
const SINCE: Readonly<Record<(typeof IDLE_OF)[number], RawBuilder<unknown>>> = {
  activity: sql`(select greatest(t.created_at,
    (select max(a.at) from ticket_activity a where a.workspace_id = t.workspace_id and a.ticket_id = t.id
      and a.actor_kind in ('person', 'key', 'agent') and a.kind <> 'opened'),
    (select max(m.created_at) from ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
      and m.deleted_at is null and m.source <> 'WORKFLOW')))`,
  // The first message that the team has not answered.
  'team-reply': sql`(select case when by_team is null then t.created_at else (
      select min(m.created_at) from ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
        and not m.private and m.deleted_at is null and m.created_at > by_team and ${authorKind} = 'requester') end
    from (select max(m.created_at) as by_team from ticket_message m where m.workspace_id = t.workspace_id
      and m.ticket_id = t.id and not m.private and m.deleted_at is null and ${authorKind} = 'team') last)`,
  // The last message of the team, if the requester has not answered it.
  'requester-reply': sql`(select case when not exists (
      select from ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
        and not m.private and m.deleted_at is null and m.created_at > by_team and ${authorKind} = 'requester')
      then by_team end
    from (select max(m.created_at) as by_team from ticket_message m where m.workspace_id = t.workspace_id
      and m.ticket_id = t.id and not m.private and m.deleted_at is null and ${authorKind} = 'team') last)`,
  'status-change': sql`coalesce((select max(a.at) from ticket_activity a where a.workspace_id = t.workspace_id
    and a.ticket_id = t.id and a.field = 'statusId'), t.created_at)`,
};

/**
 * Returns a statement for the tickets whose time is up, with the instant from which it counted (`id`, `since`).
 * @param only one ticket.
 */
async function idleTickets(
  db: ServiceDb,
  { workspaceId, queueIds, inputs: given, countsFrom }: IdleTrigger,
  now: Date,
  only?: string,
): Promise<RawBuilder<{ id: string; since: Date }>> {
  const inputs = IdleInputs.parse(given);
  const cutOffs = (await cutOffsOf(db, workspaceId, inputs, now)).filter(
    ({ at }) => at !== undefined && (countsFrom === undefined || countsFrom <= at),
  );
  const fits = (column: string, value: string | null | undefined) =>
    value ? sql`and ${sql.ref(column)} = ${value}` : sql``;
  const isEnded =
    inputs.statusId || inputs.statusGroup ? sql`` : sql`and g.kind not in ('RESOLVED', 'CLOSED')`;
  return sql`
    select t.id, s.since from ticket t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    join status on status.workspace_id = t.workspace_id and status.id = t.status_id
    join status_group g on g.workspace_id = status.workspace_id and g.id = status.status_group_id
    join unnest(${cutOffs.map(({ queueId }) => queueId)}::text[], ${cutOffs.map(({ at }) => at)}::timestamptz[])
      as c (queue_id, at) on c.queue_id = t.queue_id
    cross join lateral (select ${SINCE[inputs.of ?? 'activity']} as since) s
    where t.workspace_id = ${workspaceId} and t.created_at <= c.at and s.since <= c.at
      and t.archived_at is null and t.merged_into_id is null and ${isHandled(queueIds)} ${isEnded}
      ${fits('t.id', only)} ${fits('t.request_type_id', inputs.requestTypeId)} ${fits('t.priority', inputs.priority)}
      ${fits('t.status_id', inputs.statusId)} ${fits('g.kind', inputs.statusGroup)}`;
}

/** Returns for each queue until when a time must have begun that is up now; undefined: none is. */
async function cutOffsOf(
  db: ServiceDb,
  workspaceId: string,
  { minutes, businessHours, queueId }: Inputs,
  now: Date,
): Promise<{ queueId: string; at: Date | undefined }[]> {
  const { rows } = await sql<{ id: string; hours: Hours | null }>`
    select q.id, (select json_build_object('timeZone', h.time_zone, 'days', h.days, 'holidays', h.holidays)
      from business_hours h where h.workspace_id = q.workspace_id
        and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end) as hours
    from queue q where q.workspace_id = ${workspaceId}`.execute(db);
  const isBusinessTime = businessHours === true || businessHours === 'true';
  return rows
    .filter(({ id }) => !queueId || queueId === id)
    .map(({ id, hours }) => ({
      queueId: id,
      at: workingTimeBefore(isBusinessTime && hours ? hours : undefined, now, minutes),
    }));
}

/** Counts the tickets whose time is up already, not further than `most`. */
export async function countIdle(
  db: ServiceDb,
  trigger: IdleTrigger,
  now: Date,
  most: number,
): Promise<number> {
  const tickets = await idleTickets(db, trigger, now);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${tickets} limit ${most}) matching`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The stored trigger. */
interface IdleKey {
  workspaceId: string;
  workflowId: string;
  stepId: string;
}

/** Records the tickets whose time is up: each once for the instant from which it counts. */
export async function recordIdle(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: IdleKey,
  trigger: IdleTrigger,
  { now, isDue }: { now: Date; isDue: boolean },
): Promise<void> {
  const tickets = await idleTickets(tx, trigger, now);
  await sql`
    insert into workflow_idle as known (workspace_id, workflow_id, step_id, ticket_id, since, is_due)
    select ${workspaceId}, ${workflowId}, ${stepId}, idle.id, idle.since, ${isDue} from (${tickets}) idle
    where not exists (select from workflow_idle k where k.workspace_id = ${workspaceId}
      and k.workflow_id = ${workflowId} and k.step_id = ${stepId} and k.ticket_id = idle.id and k.since >= idle.since)
    order by idle.id
    on conflict (workspace_id, workflow_id, step_id, ticket_id)
      do update set since = excluded.since, is_due = excluded.is_due`.execute(tx);
}

/** Takes some of the tickets whose run is still to be started, those that have waited longest first. */
export async function takeIdle(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: IdleKey,
  most: number,
): Promise<{ ticketId: string; since: Date }[]> {
  const { rows } = await sql<{ ticketId: string; since: Date }>`
    update workflow_idle set is_due = false
    where workspace_id = ${workspaceId} and workflow_id = ${workflowId} and step_id = ${stepId} and ticket_id in (
      select ticket_id from workflow_idle
      where workspace_id = ${workspaceId} and workflow_id = ${workflowId} and step_id = ${stepId} and is_due
      order by since, ticket_id limit ${most})
    returning ticket_id as "ticketId", since`.execute(tx);
  return rows;
}

/** Returns whether a ticket still is as it was when its time was up. */
export async function isStillIdle(
  db: ServiceDb,
  trigger: IdleTrigger,
  { id, since, now }: Pick<TicketKey, 'id'> & { since: Date; now: Date },
): Promise<boolean> {
  const tickets = await idleTickets(db, trigger, now, id);
  const { rows } = await sql`select from (${tickets}) idle where since = ${since}`.execute(db);
  return rows.length > 0;
}
