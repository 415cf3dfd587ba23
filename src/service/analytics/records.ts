import { type RawBuilder, sql } from 'kysely';

import type {
  Aggregation,
  AggregationType,
  AnalyticsFilter,
  AnalyticsSource,
  DateField,
  MetricGroup,
  Period,
} from '../../contract/index.ts';
import { isReadableBy, isVisibleTo, type Viewer } from '../access/viewer.ts';
import type { ServiceDb } from '../handler.ts';
import { bucketOf } from './buckets.ts';
import { dateColumn, groupColumn, MEASURES } from './columns.ts';
import { matchesAll, anyGroup } from './filters.ts';
import { isInRange } from './ranges.ts';

/** The tickets that an analytics query counts. */
export interface AnalyticsView {
  workspaceId: string;
  viewer: Viewer | undefined;
}

/** An analytics query with its defaults filled in. */
export interface AnalyticsQuery extends AnalyticsView {
  source: AnalyticsSource;
  dateField: DateField;
  timeZone: string;
  dateRange: { from?: string | null | undefined; to?: string | null | undefined } | null | undefined;
  filterGroups: readonly (readonly AnalyticsFilter[])[];
  ravFilters: readonly AnalyticsFilter[];
  period: Period;
}

/** The part of a request that all its aggregations share, as received. */
interface AnalyticsRequest {
  query: {
    dataSource?: AnalyticsSource | null | undefined;
    dateField?: DateField | null | undefined;
    filterGroups?: AnalyticsFilter[][] | null | undefined;
  };
  dateRange?: AnalyticsQuery['dateRange'];
  ravFilters?: AnalyticsFilter[] | null | undefined;
  timeZone?: string | null | undefined;
}

export function toAnalyticsQuery(
  { workspaceId, viewer }: AnalyticsView,
  request: AnalyticsRequest,
  period: Period | null | undefined,
): AnalyticsQuery {
  return {
    workspaceId,
    viewer,
    source: request.query.dataSource ?? 'Ticket',
    dateField: request.query.dateField ?? 'createdAt',
    timeZone: request.timeZone ?? 'UTC',
    dateRange: request.dateRange,
    filterGroups: request.query.filterGroups ?? [],
    ravFilters: request.ravFilters ?? [],
    period: period ?? 'day',
  };
}

/** One value per group, or per bucket and group. */
export interface Value {
  bucket: Date | null;
  groups: (string | null)[];
  value: number;
}

const AGGREGATES: Record<AggregationType, RawBuilder<number>> = {
  count: sql`count(value)`,
  sum: sql`sum(value)`,
  avg: sql`avg(value)`,
  min: sql`min(value)`,
  max: sql`max(value)`,
  median: sql`percentile_cont(0.5) within group (order by value)`,
  p90: sql`percentile_cont(0.9) within group (order by value)`,
};

/** What an aggregation is grouped by. */
export interface Grouping {
  groups: readonly MetricGroup[];
  overTime: boolean;
}

/** Which groups a query returns. */
export interface Wanted {
  /** Only these groups, by `keyOfIds`. */
  keys?: readonly string[];
  /** Only so many: the smallest first, or the largest. */
  most?: { count: number; direction: 'ASC' | 'DESC'; hideEmpty: boolean };
}

/** The key of records without a value for the group. */
const NO_GROUP = 'none';

/** Returns one text for the ids of a group. */
export function keyOfIds(ids: readonly (string | null)[]): string {
  return ids.map((id) => id ?? NO_GROUP).join(' / ');
}

/** SQL for the same key, of a row of `grouped`. */
const keyOfRow = (groups: readonly MetricGroup[]) =>
  sql`concat_ws(' / ', ${sql.join(groups.map((_, index) => sql`coalesce(${groupAt(index)}, ${NO_GROUP})`))})`;
const groupAt = (index: number) => sql.ref(`group${index}`);

/**
 * Computes one aggregation. Without records it is 0. A record with two tags is in the groups of both; csat is computed
 * over ratings, everything else over records.
 */
export async function compute(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  aggregation: Measured,
  by: Grouping,
  { keys, most }: Wanted = {},
): Promise<Value[]> {
  const isWanted = keys ? sql`${keyOfRow(by.groups)} = any(${keys}::text[])` : sql`true`;
  const isShown = most?.hideEmpty
    ? sql`value <> 0 and ${sql.join(
        by.groups.map((_, index) => sql`${groupAt(index)} is not null`),
        sql` and `,
      )}`
    : sql`true`;
  const order = most
    ? sql`order by value ${sql.raw(most.direction)}, ${keyOfRow(by.groups)} collate "C" limit ${most.count}`
    : sql``;
  const { rows } = await sql<{ value: number } & Record<string, unknown>>`
    select * from (${grouped(analyticsQuery, aggregation, by)}) x
    where ${isWanted} and ${isShown} ${order}`.execute(db);
  return rows.map((found) => ({
    bucket: (found['bucket'] as Date | undefined) ?? null,
    groups: idsIn(found, by.groups),
    value: found.value,
  }));
}

/**
 * Returns the groups whose values over time have the largest sums over all aggregations, in that order. The database
 * chooses them: there may be as many as there are records.
 */
export async function largestGroups(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  aggregations: readonly Measured[],
  { groups, most }: { groups: readonly MetricGroup[]; most: number },
): Promise<(string | null)[][]> {
  const columns = sql.join(groups.map((_, index) => groupAt(index)));
  const every = aggregations.map((each) => grouped(analyticsQuery, each, { groups, overTime: true }));
  const { rows } = await sql<Record<string, unknown>>`
    select ${columns} from (${sql.join(every, sql` union all `)}) x
    group by ${columns}
    order by sum(value) desc, ${keyOfRow(groups)} collate "C"
    limit ${most}`.execute(db);
  return rows.map((found) => idsIn(found, groups));
}

/** Returns when the first and the last record of any aggregation are; null without records. */
export async function timeSpanOfRecords(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  aggregations: readonly Measured[],
): Promise<{ first: Date | null; last: Date | null }> {
  const date = dateColumn(analyticsQuery.source, analyticsQuery.dateField);
  const every = aggregations.map((each) =>
    recordsOf(analyticsQuery, each, { groups: [], overTime: true }, [sql`${date} as date`]),
  );
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select min(date) as first, max(date) as last from (${sql.join(every, sql` union all `)}) x`.execute(db);
  return rows[0] ?? { first: null, last: null };
}

type Measured = Pick<Aggregation, 'type' | 'field'>;

const idsIn = (row: Record<string, unknown>, groups: readonly MetricGroup[]) =>
  groups.map((_, index) => row[`group${index}`] as string | null);

/** The rows of an aggregation: its `value` by `bucket` and groups. */
function grouped(analyticsQuery: AnalyticsQuery, aggregation: Measured, by: Grouping): RawBuilder<unknown> {
  const { source } = analyticsQuery;
  const groups = by.groups.map((group) =>
    group === 'createdAt'
      ? sql`to_char(${bucketOf(dateColumn(source, group), analyticsQuery)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
      : groupColumn(source, group),
  );
  const date = dateColumn(source, analyticsQuery.dateField);
  const columns = [
    sql`${MEASURES[aggregation.field ?? 'id']} as value`,
    ...(by.overTime ? [sql`${bucketOf(date, analyticsQuery)} as bucket`] : []),
    ...groups.map((group, index) => sql`${group} as ${groupAt(index)}`),
  ];
  const keys = [...(by.overTime ? ['bucket'] : []), ...groups.map((_, index) => `group${index}`)].map((key) =>
    sql.ref(key),
  );
  return sql`
    select ${keys.length > 0 ? sql`${sql.join(keys)},` : sql``}
      coalesce(${AGGREGATES[aggregation.type]}, 0)::float8 as value
    from (${recordsOf(analyticsQuery, aggregation, by, columns)}) records
    ${keys.length > 0 ? sql`group by ${sql.join(keys)}` : sql``}`;
}

/** The records, or ratings, of an aggregation. */
function recordsOf(
  analyticsQuery: AnalyticsQuery,
  { field }: Measured,
  by: Grouping,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const { source } = analyticsQuery;
  const ofRatings = field === 'csat';
  const message = source === 'TicketMessage';
  const row = ofRatings ? sql`c.id` : message ? sql`m.id` : sql`t.id`;
  const date = dateColumn(source, analyticsQuery.dateField);
  // Two ratings with the same score would count a ticket twice in that group.
  const byScore = by.groups.includes('csatScore') && !ofRatings;
  const joins = [
    ...(message
      ? [sql`join ticket_message m on m.workspace_id = t.workspace_id and m.ticket_id = t.id`]
      : []),
    ...(ofRatings ? [sql`join csat c on c.workspace_id = t.workspace_id and c.ticket_id = t.id`] : []),
    ...(byScore ? [sql`left join csat c on c.workspace_id = t.workspace_id and c.ticket_id = t.id`] : []),
    ...(by.groups.includes('tags')
      ? [sql`left join ticket_tag g on g.workspace_id = t.workspace_id and g.ticket_id = t.id`]
      : []),
  ];
  return sql`
    select ${byScore ? sql`distinct` : sql``} ${row} as id, ${sql.join(columns)}
    from ticket t
    ${joins.length > 0 ? sql.join(joins, sql` `) : sql``}
    where t.workspace_id = ${analyticsQuery.workspaceId} and ${matchesFilters(analyticsQuery, by.overTime ? date : undefined)}`;
}

/**
 * Returns a condition for the records of a query. Never drafts; archived tickets and deleted messages only if it names
 * those dates.
 */
function matchesFilters(
  analyticsQuery: AnalyticsQuery,
  time: RawBuilder<Date> | undefined,
): RawBuilder<boolean> {
  const { source, timeZone, viewer } = analyticsQuery;
  const named = new Set<string>([
    analyticsQuery.dateField,
    ...[...analyticsQuery.ravFilters, ...analyticsQuery.filterGroups.flat()].map(({ field }) => field),
  ]);
  const context = { source, timeZone };
  const conditions = [
    sql`t.published`,
    ...(viewer ? [source === 'Ticket' ? isVisibleTo(viewer) : isReadableBy(viewer)] : []),
    anyGroup(analyticsQuery.filterGroups, { ...context, path: 'query.filterGroups' }),
    matchesAll(analyticsQuery.ravFilters, { ...context, path: 'ravFilters' }),
    isInRange(dateColumn(source, analyticsQuery.dateField), analyticsQuery.dateRange, timeZone),
    ...(named.has('archivedAt') ? [] : [sql`t.archived_at is null`]),
    ...(source === 'Ticket' || named.has('deletedAt') ? [] : [sql`m.deleted_at is null`]),
    ...(time ? [sql`${time} is not null`] : []),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
