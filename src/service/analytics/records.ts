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
import { allOf, anyGroup } from './filters.ts';
import { within } from './ranges.ts';

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

/**
 * Computes one aggregation. Without records it is 0. A record with two tags is in the groups of both; csat is computed
 * over ratings, everything else over records.
 */
export async function compute(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  { type, field }: Pick<Aggregation, 'type' | 'field'>,
  by: { groups: readonly MetricGroup[]; overTime: boolean },
): Promise<Value[]> {
  const { source } = analyticsQuery;
  const ofRatings = field === 'csat';
  const message = source === 'TicketMessage';
  const row = ofRatings ? sql`c.id` : message ? sql`m.id` : sql`t.id`;
  const groups = by.groups.map((group) =>
    group === 'createdAt'
      ? sql`to_char(${bucketOf(dateColumn(source, group), analyticsQuery)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
      : groupColumn(source, group),
  );
  const date = dateColumn(source, analyticsQuery.dateField);
  const columns = [
    sql`${MEASURES[field ?? 'id']} as value`,
    ...(by.overTime ? [sql`${bucketOf(date, analyticsQuery)} as bucket`] : []),
    ...groups.map((group, index) => sql`${group} as ${sql.ref(`group${index}`)}`),
  ];
  const keys = [...(by.overTime ? ['bucket'] : []), ...groups.map((_, index) => `group${index}`)];
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
  const { rows } = await sql<{ value: number } & Record<string, unknown>>`
    with records as (
      select ${byScore ? sql`distinct` : sql``} ${row} as id, ${sql.join(columns)}
      from ticket t
      ${joins.length > 0 ? sql.join(joins, sql` `) : sql``}
      where t.workspace_id = ${analyticsQuery.workspaceId} and ${matchesFilters(analyticsQuery, by.overTime ? date : undefined)}
    )
    select ${keys.length > 0 ? sql`${sql.join(keys.map((key) => sql.ref(key)))},` : sql``}
      coalesce(${AGGREGATES[type]}, 0)::float8 as value
    from records ${keys.length > 0 ? sql`group by ${sql.join(keys.map((key) => sql.ref(key)))}` : sql``}`.execute(
    db,
  );
  return rows.map((found) => ({
    bucket: (found['bucket'] as Date | undefined) ?? null,
    groups: groups.map((_, index) => found[`group${index}`] as string | null),
    value: found.value,
  }));
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
    allOf(analyticsQuery.ravFilters, { ...context, path: 'ravFilters' }),
    within(dateColumn(source, analyticsQuery.dateField), analyticsQuery.dateRange, timeZone),
    ...(named.has('archivedAt') ? [] : [sql`t.archived_at is null`]),
    ...(source === 'Ticket' || named.has('deletedAt') ? [] : [sql`m.deleted_at is null`]),
    ...(time ? [sql`${time} is not null`] : []),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
