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

/** A trigger that waits for a time in which nothing happens, of a workflow with its queues. */
interface IdleTrigger {
  workspaceId: string;
  queueIds: readonly string[] | null;
  inputs: Readonly<Record<string, unknown>>;
  /** Nothing before it counts; absent: all of it does. */
  countsFrom?: Date;
}

/** When the team last wrote to a ticket `t`, and when that came; null if it never did. */
const BY_TEAM = sql`(select max(m.created_at) as by_team, max(coalesce(m.stored_at, m.created_at)) as came
  from ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
    and not m.private and m.deleted_at is null and ${authorKind} = 'team') last`;
/**
 * The requester's messages that this does not answer: they were written later, or came later, for what was still on its
 * way nobody could answer.
 */
const UNANSWERED = sql`ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
  and not m.private and m.deleted_at is null and ${authorKind} = 'requester'
  and (m.created_at > by_team or coalesce(m.stored_at, m.created_at) > came)`;

/** From which instant a ticket `t` counts; null: it waits for nothing. Of what workflows and the service do, nothing counts. */
const SINCE: Readonly<Record<(typeof IDLE_OF)[number], RawBuilder<unknown>>> = {
  activity: sql`(select greatest(t.created_at,
    (select max(a.at) from ticket_activity a where a.workspace_id = t.workspace_id and a.ticket_id = t.id
      and a.actor_kind in ('person', 'key', 'agent') and a.kind <> 'opened'),
    (select max(m.created_at) from ticket_message m where m.workspace_id = t.workspace_id and m.ticket_id = t.id
      and m.deleted_at is null and m.source <> 'WORKFLOW')))`,
  // The first message that the team has not answered.
  'team-reply': sql`(select case when by_team is null then t.created_at
      else (select min(m.created_at) from ${UNANSWERED}) end from ${BY_TEAM})`,
  // The last message of the team, if the requester has not answered it.
  'requester-reply': sql`(select case when not exists (select from ${UNANSWERED}) then by_team end from ${BY_TEAM})`,
  'status-change': sql`coalesce((select max(a.at) from ticket_activity a where a.workspace_id = t.workspace_id
    and a.ticket_id = t.id and a.field = 'statusId'), t.created_at)`,
};

/** A queue of a trigger, and until when a time must have begun there that is up now; null: none is. */
interface CutOff {
  queueId: string;
  at: Date | null;
}

/**
 * Returns a statement for the tickets that wait for a trigger: the instant from which each counts, and whether its time is
 * up (`id`, `since`, `is_up`).
 * @param only these tickets; undefined: all.
 */
function waitingTickets(
  { workspaceId, queueIds, inputs: given }: IdleTrigger,
  cutOffs: readonly CutOff[],
  only?: readonly string[],
): RawBuilder<{ id: string; since: Date; is_up: boolean }> {
  const inputs = IdleInputs.parse(given);
  const fits = (column: string, value: string | null | undefined) =>
    value ? sql`and ${sql.ref(column)} = ${value}` : sql``;
  const isEnded =
    inputs.statusId || inputs.statusGroup ? sql`` : sql`and g.kind not in ('RESOLVED', 'CLOSED')`;
  return sql`
    select t.id, s.since, coalesce(s.since <= c.at, false) as is_up from ticket t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    join status on status.workspace_id = t.workspace_id and status.id = t.status_id
    join status_group g on g.workspace_id = status.workspace_id and g.id = status.status_group_id
    join ${rowsOf(cutOffs)} on c.queue_id = t.queue_id
    cross join lateral (select ${SINCE[inputs.of ?? 'activity']} as since) s
    where t.workspace_id = ${workspaceId} and s.since is not null
      and t.archived_at is null and t.merged_into_id is null and ${isHandled(queueIds)} ${isEnded}
      ${only ? sql`and t.id = any(${[...only]}::text[])` : sql``}
      ${fits('t.request_type_id', inputs.requestTypeId)} ${fits('t.priority', inputs.priority)}
      ${fits('t.status_id', inputs.statusId)} ${fits('g.kind', inputs.statusGroup)}`;
}

/** Returns cut-offs as a table `c` of a statement. */
function rowsOf(cutOffs: readonly CutOff[]): RawBuilder<unknown> {
  return sql`unnest(${cutOffs.map(({ queueId }) => queueId)}::text[], ${cutOffs.map(({ at }) => at)}::timestamptz[])
    as c (queue_id, at)`;
}

/**
 * Returns the cut-offs of the queues of a trigger.
 * @param only those of the queues of these tickets; undefined: all.
 */
async function cutOffsOf(
  db: ServiceDb,
  { workspaceId, inputs: given, countsFrom }: IdleTrigger,
  now: Date,
  only?: readonly string[],
): Promise<CutOff[]> {
  const { minutes, businessHours, queueId } = IdleInputs.parse(given);
  const { rows } = await sql<{ id: string; hours: Hours | null }>`
    select q.id, (select json_build_object('timeZone', h.time_zone, 'days', h.days, 'holidays', h.holidays)
      from business_hours h where h.workspace_id = q.workspace_id
        and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end) as hours
    from queue q where q.workspace_id = ${workspaceId}
      ${queueId ? sql`and q.id = ${queueId}` : sql``}
      ${only ? sql`and q.id in (select queue_id from ticket where workspace_id = ${workspaceId} and id = any(${[...only]}::text[]))` : sql``}`.execute(
    db,
  );
  const isBusinessTime = businessHours === true || businessHours === 'true';
  const startOf = onceOfEach((hours) => workingTimeBefore(hours, now, minutes));
  return rows.map(({ id, hours }) => {
    const at = startOf(isBusinessTime && hours ? hours : undefined);
    const counts = at !== undefined && (countsFrom === undefined || countsFrom <= at);
    return { queueId: id, at: counts ? at : null };
  });
}

/** Returns a function that computes once what is the same for the same hours: most queues share theirs. */
function onceOfEach<Result>(compute: (hours: Hours | undefined) => Result) {
  const known = new Map<string, Result>();
  return (hours: Hours | undefined): Result => {
    const key = JSON.stringify(hours ?? null);
    const result = known.has(key) ? (known.get(key) as Result) : compute(hours);
    known.set(key, result);
    return result;
  };
}

/** Counts the tickets whose time is up already, not further than `most`. */
export async function countIdle(
  db: ServiceDb,
  trigger: IdleTrigger,
  now: Date,
  most: number,
): Promise<number> {
  const tickets = waitingTickets(trigger, await cutOffsOf(db, trigger, now));
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from (${tickets}) waiting where is_up limit ${most}) matching`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The stored trigger. */
interface IdleKey {
  workspaceId: string;
  workflowId: string;
  stepId: string;
}

/** A transaction that wrote to a ticket may end that long after the instant which it gave to its change. */
const LATE_MS = 5 * 60_000;

/**
 * Looks at the tickets of a trigger. Of those that changed since the last look, and of those whose time may be up, it
 * records from when they count; each counts to the end once for the same instant. A first look is at all tickets.
 * @param lookedAt the last look; null: this is the first one.
 * @param isDue whether runs are to be started where the time is up.
 */
export async function lookAtTickets(
  tx: ServiceTx,
  key: IdleKey,
  trigger: IdleTrigger,
  { now, lookedAt, isDue }: { now: Date; lookedAt: Date | null; isDue: boolean },
): Promise<void> {
  const { workspaceId, workflowId, stepId } = key;
  const cutOffs = await cutOffsOf(tx, trigger, now);
  const changed = lookedAt === null ? undefined : await changedTickets(tx, workspaceId, lookedAt);
  const only = changed && [...changed, ...(await ticketsPerhapsUp(tx, key, cutOffs))];
  await forgetCounting(tx, key, only);
  await sql`
    insert into workflow_idle as known (workspace_id, workflow_id, step_id, ticket_id, since, is_counting, is_due)
    select ${workspaceId}, ${workflowId}, ${stepId}, waiting.id, waiting.since, not is_up, is_up and ${isDue}
    from (${waitingTickets(trigger, cutOffs, only)}) waiting
    where not exists (select from workflow_idle k where k.workspace_id = ${workspaceId} and k.workflow_id = ${workflowId}
      and k.step_id = ${stepId} and k.ticket_id = waiting.id and k.since >= waiting.since)
    order by waiting.id
    on conflict (workspace_id, workflow_id, step_id, ticket_id)
      do update set since = excluded.since, is_counting = excluded.is_counting, is_due = excluded.is_due`.execute(
    tx,
  );
  await tx
    .updateTable('workflow_trigger')
    .set({ looked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('workflow_id', '=', workflowId)
    .where('step_id', '=', stepId)
    .execute();
}

// Both ends of a time are named: with one alone, Postgres plans for a third of all rows, and reads the whole table.

/** Returns the tickets that were changed since a look, or got or lost a message. */
async function changedTickets(tx: ServiceTx, workspaceId: string, lookedAt: Date): Promise<string[]> {
  const since = new Date(lookedAt.getTime() - LATE_MS);
  const { rows } = await sql<{ id: string }>`
    select id from ticket where workspace_id = ${workspaceId} and updated_at between ${since} and 'infinity'
    union
    select ticket_id from ticket_message
    where workspace_id = ${workspaceId} and updated_at between ${since} and 'infinity'`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns the tickets that count, and whose time is up unless something has happened. */
async function ticketsPerhapsUp(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: IdleKey,
  cutOffs: readonly CutOff[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from workflow_idle k
    join ticket t on t.workspace_id = k.workspace_id and t.id = k.ticket_id
    join ${rowsOf(cutOffs)} on c.queue_id = t.queue_id
    where k.workspace_id = ${workspaceId} and k.workflow_id = ${workflowId} and k.step_id = ${stepId}
      and k.is_counting and k.since <= c.at and k.since between '-infinity' and ${latestOf(cutOffs)}`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

function latestOf(cutOffs: readonly CutOff[]): Date | null {
  const times = cutOffs.flatMap(({ at }) => (at ? [at.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times));
}

/** Forgets from when tickets count that have not counted to the end. */
async function forgetCounting(
  tx: ServiceTx,
  { workspaceId, workflowId, stepId }: IdleKey,
  only: readonly string[] | undefined,
): Promise<void> {
  const isOne = only ? sql`and ticket_id = any(${[...only]}::text[])` : sql``;
  await sql`
    delete from workflow_idle where workspace_id = ${workspaceId} and workflow_id = ${workflowId}
      and step_id = ${stepId} and is_counting ${isOne}`.execute(tx);
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
  const tickets = waitingTickets(trigger, await cutOffsOf(db, trigger, now, [id]), [id]);
  const { rows } = await sql`select from (${tickets}) waiting where is_up and since = ${since}`.execute(db);
  return rows.length > 0;
}
