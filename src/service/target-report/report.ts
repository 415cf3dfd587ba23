import { type RawBuilder, sql } from 'kysely';

import { LIMITS, type ParsedQuery, type TargetReport } from '../../contract/index.ts';
import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { unknownZone } from '../problem.ts';
import { codeOf } from '../ticket-code.ts';

export type ReportQuery = ParsedQuery<'readTargetReport'>;
type Figures = TargetReport['total'];
type Group = TargetReport['groups'][number];
type Breach = TargetReport['breaches'][number];
type Waiting = TargetReport['waiting'][number];

/** The data of a report: the results `r` and the first waits `s` of a period, each with its ticket `t`. */
export interface Reported {
  results: RawBuilder<unknown>;
  waits: RawBuilder<unknown>;
}

/** A ticket `t` that began to wait at `s` did so before anybody had replied publicly. */
const isWithoutReply = sql<boolean>`(t.responded_at is null or s.from_at < t.responded_at)`;

/** The queue `q` has a target for the priority of its ticket `t`. */
const hasTarget = sql<boolean>`coalesce(q.settings #>> array['targets', t.priority, 'responseMinutes'],
  q.settings #>> array['targets', t.priority, 'resolutionMinutes']) is not null`;

/**
 * Returns what happened in the period, of the tickets that the caller sees. Merged ones were not resolved; archived ones
 * are left out as in all analytics.
 */
export function reportedOf(caller: Caller, { from, to, workspaceId, queueId }: ReportQuery): Reported {
  const workspaces = listedWorkspaces(caller, workspaceId);
  const viewer = viewerOf(caller);
  const isReported = sql`t.published and t.archived_at is null and t.merged_into_id is null and ${viewer ? isVisibleTo(viewer) : sql`true`}`;
  const isIn = (column: string) =>
    sql`${sql.ref(column)} >= ${new Date(from)} and ${sql.ref(column)} < ${new Date(to)}`;
  const isOfQueue = (column: string) => (queueId ? sql`${sql.ref(column)} = ${queueId}` : sql`true`);
  return {
    results: sql`from target_result r join ticket t on t.workspace_id = r.workspace_id and t.id = r.ticket_id
      where ${isOneOf('r.workspace_id', workspaces)} and r.minutes is not null
        and ${isIn('r.at')} and ${isOfQueue('r.queue_id')} and ${isReported}`,
    waits: sql`from ticket_stop s join ticket t on t.workspace_id = s.workspace_id and t.id = s.ticket_id
      join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
      where ${isOneOf('s.workspace_id', workspaces)} and s.reason = 'waiting' and ${isWithoutReply}
        and not exists (select from ticket_stop e where e.workspace_id = s.workspace_id
          and e.ticket_id = s.ticket_id and e.reason = 'waiting' and e.from_at < s.from_at)
        and ${hasTarget}
        and ${isIn('s.from_at')} and ${isOfQueue('t.queue_id')} and ${isReported}`,
  };
}

/** The id of a result's group, of that of a wait, and the name of a group `g`. */
interface Grouping {
  ofResult: RawBuilder<unknown>;
  ofWait: RawBuilder<unknown>;
  name: RawBuilder<unknown>;
}

const ALL: Grouping = { ofResult: sql`null::text`, ofWait: sql`null::text`, name: sql`null::text` };

const personName = (workspaces: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql`(select coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email) from person p
    where p.workspace_id = any(${workspaces}) and p.id = ${id})`;

function groupingOf({ groupBy, timeZone }: ReportQuery): Grouping {
  const ofTicket = (column: string) => ({ ofResult: sql.ref(column), ofWait: sql.ref(column) });
  const named = (table: string) =>
    sql`(select x.name from ${sql.table(table)} x where x.workspace_id = any(g.workspaces) and x.id = g.id)`;
  const weekOf = (column: string) =>
    sql`to_char(date_trunc('week', ${sql.ref(column)} at time zone ${timeZone ?? 'UTC'}::text), 'YYYY-MM-DD')`;
  switch (groupBy) {
    case 'queue':
      return { ofResult: sql`r.queue_id`, ofWait: sql`t.queue_id`, name: named('queue') };
    case 'assignee':
      return { ...ofTicket('t.assignee_id'), name: personName(sql`g.workspaces`, sql`g.id`) };
    case 'request-type':
      return { ...ofTicket('t.request_type_id'), name: named('request_type') };
    case 'priority':
      return { ofResult: sql`r.priority`, ofWait: sql`t.priority`, name: sql`g.id` };
    case 'week':
      return { ofResult: weekOf('r.at'), ofWait: weekOf('s.from_at'), name: sql`g.id` };
  }
}

/** Returns the figures of each group. Throws 400 for an unknown time zone. */
export function reportGroups(db: ServiceDb, reported: Reported, query: ReportQuery): Promise<Group[]> {
  return figuresBy(db, reported, groupingOf(query)).catch(unknownZone);
}

/** Returns the figures of all that is reported. */
export async function totalOf(db: ServiceDb, reported: Reported): Promise<Figures> {
  const [all] = await figuresBy(db, reported, ALL);
  if (!all) return NOTHING;
  const { groupId: _id, groupName: _name, ...total } = all;
  return total;
}

const NO_RESULT = { attained: 0, missed: 0, medianMinutes: null };
const NOTHING: Figures = {
  firstReply: NO_RESULT,
  resolution: NO_RESULT,
  openMinutes: 0,
  heldMinutes: 0,
  waitedWithoutReply: 0,
};

async function figuresBy(
  db: ServiceDb,
  { results, waits }: Reported,
  { ofResult, ofWait, name }: Grouping,
): Promise<Group[]> {
  const outcome = (target: string) => {
    const count = (isAttained: boolean) =>
      sql`count(*) filter (where target = ${target} and is_attained = ${isAttained})`;
    return sql`json_build_object('attained', ${count(true)}, 'missed', ${count(false)}, 'medianMinutes',
      percentile_cont(0.5) within group (order by open_minutes) filter (where target = ${target}))`;
  };
  const minutes = (column: string) =>
    sql`coalesce(sum(${sql.ref(column)}) filter (where target = 'resolution'), 0)::float8`;
  const { rows } = await sql<Group>`
    with reported as (
      select ${ofResult} as id, r.workspace_id, r.target, r.open_minutes <= r.minutes as is_attained,
        r.open_minutes, r.held_minutes ${results}
      union all
      select ${ofWait}, s.workspace_id, null, null, null, null ${waits}
    ), g as (
      select id, array_agg(distinct workspace_id) as workspaces, ${outcome('first-reply')} as "firstReply",
        ${outcome('resolution')} as resolution, ${minutes('open_minutes')} as "openMinutes",
        ${minutes('held_minutes')} as "heldMinutes", (count(*) filter (where target is null))::int as "waitedWithoutReply"
      from reported group by id
    )
    select g.id as "groupId", ${name} as "groupName", g."firstReply", g.resolution, g."openMinutes", g."heldMinutes",
      g."waitedWithoutReply"
    from g order by g.id nulls last`.execute(db);
  return rows;
}

/** The columns of a ticket `t` in the lists of a report. */
const ticketColumns = (queue: RawBuilder<unknown>) => sql`
  t.id as "ticketId", t.number, t.title, t.assignee_id as "assigneeId", ${queue} as "queueId",
  (select q.prefix from queue q where q.workspace_id = t.workspace_id and q.id = t.queue_id) as prefix,
  (select q.name from queue q where q.workspace_id = t.workspace_id and q.id = ${queue}) as "queueName",
  ${personName(sql`array[t.workspace_id]`, sql`t.assignee_id`)} as "assigneeName"`;

/** A row with what makes the reference of its ticket. */
type WithNumber<Row> = Omit<Row, 'code'> & { prefix: string; number: number };

const rowLimit = ({ limit }: ReportQuery) => limit ?? LIMITS.targetReport.defaultRows;

/** Returns the newest targets that were missed. */
export async function breachesOf(
  db: ServiceDb,
  { results }: Reported,
  query: ReportQuery,
): Promise<Breach[]> {
  const { rows } = await sql<WithNumber<Omit<Breach, 'at'>> & { at: Date }>`
    select ${ticketColumns(sql`r.queue_id`)}, r.target, r.priority, r.minutes, r.open_minutes as "openMinutes",
      r.held_minutes as "heldMinutes", r.outside_minutes as "outsideMinutes", r.at,
      exists (select from ticket_stop s where s.workspace_id = t.workspace_id and s.ticket_id = t.id
        and s.reason = 'waiting' and ${isWithoutReply}) as "waitedWithoutReply"
    ${results} and r.open_minutes > r.minutes
    order by r.at desc, r.ticket_id, r.target limit ${rowLimit(query)}`.execute(db);
  return rows.map(({ prefix, number, at, ...breach }) => ({
    ...breach,
    code: codeOf(prefix, number),
    at: iso(at),
  }));
}

/** Returns the tickets that last began to wait for their requester before anybody had replied publicly. */
export async function waitingOf(db: ServiceDb, { waits }: Reported, query: ReportQuery): Promise<Waiting[]> {
  const { rows } = await sql<
    WithNumber<Omit<Waiting, 'from' | 'until'>> & { from: Date; until: Date | null }
  >`
    select ${ticketColumns(sql`t.queue_id`)}, t.priority, s.from_at as from, s.to_at as until
    ${waits} order by s.from_at desc, s.ticket_id limit ${rowLimit(query)}`.execute(db);
  return rows.map(({ prefix, number, from, until, ...waited }) => ({
    ...waited,
    code: codeOf(prefix, number),
    from: iso(from),
    until: isoOrNull(until),
  }));
}
