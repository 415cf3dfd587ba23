import { type RawBuilder, sql } from 'kysely';

import type { ParsedQuery, TargetReport } from '../../contract/index.ts';
import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Caller, Handlers, ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { listedWorkspaces } from '../lists/filters.ts';
import { unknownZone } from '../problem.ts';
import { codeOf } from '../tickets/records.ts';

/** Breaches of one answer. */
const BREACHES = 1_000;

type Query = ParsedQuery<'readTargetReport'>;

/** Which targets were met (docs/api.md, Target report), of the tickets that the caller sees. */
export const targetReportHandlers: Pick<Handlers, 'readTargetReport'> = {
  async readTargetReport({ caller, query }, db) {
    const results = resultsOf(caller, query);
    return {
      groups: await groupsOf(db, results, query).catch(unknownZone),
      breaches: await breachesOf(db, results),
    };
  },
};

/** The ticket waited for its requester before anybody had replied publicly. */
const waitedWithoutReply = sql<boolean>`exists (select from ticket_stop s
  where s.workspace_id = t.workspace_id and s.ticket_id = t.id and s.reason = 'waiting'
    and (t.responded_at is null or s.from_at < t.responded_at))`;

/** The results `r` of a period that had a target, with their tickets `t`; merged tickets were not resolved. */
function resultsOf(caller: Caller, { from, to, workspaceId }: Query): RawBuilder<unknown> {
  const viewer = viewerOf(caller);
  const workspaces = listedWorkspaces(caller, workspaceId);
  return sql`from target_result r join ticket t on t.workspace_id = r.workspace_id and t.id = r.ticket_id
    where r.workspace_id = any(${[...workspaces]}::text[]) and r.minutes is not null
      and r.at >= ${new Date(from)} and r.at < ${new Date(to)}
      and t.published and t.merged_into_id is null and ${viewer ? isVisibleTo(viewer) : sql`true`}`;
}

/** The id of each group, and its name. */
function groupOf({ groupBy, timeZone }: Query): { id: RawBuilder<unknown>; name: RawBuilder<unknown> } {
  switch (groupBy) {
    case 'queue':
      return {
        id: sql`r.queue_id`,
        name: sql`(select q.name from queue q where q.workspace_id = any(g.workspaces) and q.id = g.id)`,
      };
    case 'assignee':
      return {
        id: sql`t.assignee_id`,
        name: sql`(select coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email) from person p
          where p.workspace_id = any(g.workspaces) and p.id = g.id)`,
      };
    case 'request-type':
      return {
        id: sql`t.request_type_id`,
        name: sql`(select x.name from request_type x where x.workspace_id = any(g.workspaces) and x.id = g.id)`,
      };
    case 'priority':
      return { id: sql`r.priority`, name: sql`g.id` };
    case 'week':
      return {
        id: sql`to_char(date_trunc('week', r.at at time zone ${timeZone ?? 'UTC'}::text), 'YYYY-MM-DD')`,
        name: sql`g.id`,
      };
  }
}

async function groupsOf(
  db: ServiceDb,
  results: RawBuilder<unknown>,
  query: Query,
): Promise<TargetReport['groups']> {
  const group = groupOf(query);
  const count = (target: string, isAttained: boolean) =>
    sql`count(*) filter (where target = ${target} and is_attained = ${isAttained})::int`;
  const { rows } = await sql<{
    id: string | null;
    name: string | null;
    first_reply_attained: number;
    first_reply_missed: number;
    resolution_attained: number;
    resolution_missed: number;
    open_minutes: number;
    held_minutes: number;
    waited: number;
  }>`
    with result as (
      select ${group.id} as id, r.workspace_id, r.ticket_id, r.target, r.open_minutes <= r.minutes as is_attained,
        r.open_minutes, r.held_minutes, ${waitedWithoutReply} as waited
      ${results}
    ), g as (
      select id, array_agg(distinct workspace_id) as workspaces,
        ${count('first-reply', true)} as first_reply_attained, ${count('first-reply', false)} as first_reply_missed,
        ${count('resolution', true)} as resolution_attained, ${count('resolution', false)} as resolution_missed,
        coalesce(sum(open_minutes) filter (where target = 'resolution'), 0)::float8 as open_minutes,
        coalesce(sum(held_minutes) filter (where target = 'resolution'), 0)::float8 as held_minutes,
        (count(distinct ticket_id) filter (where waited))::int as waited
      from result group by id
    )
    select g.*, ${group.name} as name from g order by g.id nulls last`.execute(db);
  return rows.map((row) => ({
    groupId: row.id,
    groupName: row.name,
    firstReply: { attained: row.first_reply_attained, missed: row.first_reply_missed },
    resolution: { attained: row.resolution_attained, missed: row.resolution_missed },
    openMinutes: row.open_minutes,
    heldMinutes: row.held_minutes,
    waitedWithoutReply: row.waited,
  }));
}

async function breachesOf(db: ServiceDb, results: RawBuilder<unknown>): Promise<TargetReport['breaches']> {
  const { rows } = await sql<
    Omit<TargetReport['breaches'][number], 'code' | 'at'> & { prefix: string; number: number; at: Date }
  >`
    select r.ticket_id as "ticketId", t.number, t.title, r.target, r.queue_id as "queueId", r.priority,
      t.assignee_id as "assigneeId", r.minutes, r.open_minutes as "openMinutes", r.held_minutes as "heldMinutes",
      r.outside_minutes as "outsideMinutes", ${waitedWithoutReply} as "waitedWithoutReply", r.at,
      (select q.prefix from queue q where q.workspace_id = t.workspace_id and q.id = t.queue_id) as prefix
    ${results} and r.open_minutes > r.minutes
    order by r.at desc, r.ticket_id, r.target limit ${BREACHES}`.execute(db);
  return rows.map(({ prefix, number, at, ...breach }) => ({
    ...breach,
    code: codeOf(prefix, number),
    at: iso(at),
  }));
}
