import type { Aggregation, Metric, MetricGroup, ParsedBody } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { bucketsBetween, MAX_BUCKETS } from './buckets.ts';
import { aliasOf, metricChart } from './chart.ts';
import { groupNames } from './names.ts';
import {
  compute,
  type AnalyticsQuery,
  type AnalyticsView,
  toAnalyticsQuery,
  type Wanted,
} from './records.ts';

type Row = Metric['data'][number];

/** Maximum number of groups if the query has no limit. */
const DEFAULT_GROUPS = 100;
const COUNT: Aggregation = { type: 'count' };
/** All intervals with records. If there are more, those that are read are too far apart for an answer. */
const EVERY_INTERVAL: Wanted = { most: { count: MAX_BUCKETS + 2, direction: 'DESC', hideEmpty: false } };

/** Returns which groups are read, of all that the records have. */
function wantedGroups(groupBy: MetricGroup | null | undefined, most: Wanted['most']): Wanted {
  // In order of time, empty intervals count as well; more than an answer may have are refused afterwards.
  if (groupBy === 'createdAt') return EVERY_INTERVAL;
  return groupBy && most ? { most } : {};
}

/** Returns one number, or one per group: the largest first, or in order of time. */
export async function previewMetric(
  db: ServiceDb,
  { workspaceId, viewer }: AnalyticsView,
  body: ParsedBody<'previewMetric'>,
): Promise<Metric> {
  const { query } = body;
  const analyticsQuery = toAnalyticsQuery({ workspaceId, viewer }, body, body.period);
  const aggregation = query.aggregations?.[0] ?? COUNT;
  const { groupBy } = query;
  const chartConfig = metricChart(aggregation, Boolean(groupBy));
  const direction = query.sortOrder ?? (groupBy === 'createdAt' ? 'ASC' : 'DESC');
  const most = { count: query.limit ?? DEFAULT_GROUPS, direction, hideEmpty: query.hideEmptyValues === true };
  const values = await compute(
    db,
    analyticsQuery,
    aggregation,
    { groups: groupBy ? [groupBy] : [], overTime: false },
    wantedGroups(groupBy, most),
  );
  if (!groupBy) {
    const value = values[0]?.value ?? 0;
    return { type: 'single', data: [{ groupId: null, groupName: aliasOf(aggregation), value }], chartConfig };
  }
  const found = values.map(({ groups: [id = null], value }) => ({ id, value }));
  let rows =
    groupBy === 'createdAt'
      ? await alongTime(db, analyticsQuery, found)
      : await withGroupNames(db, workspaceId, groupBy, found);
  if (query.hideEmptyValues) rows = rows.filter(({ groupId, value }) => groupId !== null && value !== 0);
  const before = groupBy === 'createdAt' ? byName : byValue;
  rows.sort((a, b) => (direction === 'ASC' ? before(a, b) : -before(a, b)) || byName(a, b));
  return { type: 'grouped', data: rows.slice(0, most.count), chartConfig };
}

interface Found {
  id: string | null;
  value: number;
}

async function withGroupNames(
  db: ServiceDb,
  workspaceId: string,
  group: MetricGroup,
  found: readonly Found[],
): Promise<Row[]> {
  const nameOf = await groupNames(
    db,
    workspaceId,
    group,
    found.map(({ id }) => id),
  );
  return found.map(({ id, value }) => ({ groupId: id, groupName: nameOf(id).name, value }));
}

/** Returns intervals between the first and the last with records; the empty ones in between count as well. */
async function alongTime(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  found: readonly Found[],
): Promise<Row[]> {
  const values = new Map(found.map(({ id, value }) => [id, value]));
  const times = found.flatMap(({ id }) => (id === null ? [] : [id])).sort();
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [];
  const starts = await bucketsBetween(db, new Date(first), new Date(last), analyticsQuery);
  return starts.map((start) => {
    const id = start.toISOString();
    return { groupId: id, groupName: id, value: values.get(id) ?? 0 };
  });
}

function byValue(a: Row, b: Row): number {
  return a.value - b.value;
}

function byName(a: Row, b: Row): number {
  return a.groupName < b.groupName ? -1 : a.groupName > b.groupName ? 1 : 0;
}
