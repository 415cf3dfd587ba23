import { sql } from 'kysely';

import type { Aggregation, ParsedBody, Trend } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { malformed } from '../problem.ts';
import { bucketsBetween } from './buckets.ts';
import { aliasOf, colorAt } from './chart.ts';
import { toRange } from './ranges.ts';
import { groupNames } from './names.ts';
import { compute, type AnalyticsQuery, type AnalyticsView, toAnalyticsQuery, type Value } from './records.ts';

type Row = Trend['data'][number];
type Series = Trend['chartConfig']['series'][number];
type Group = NonNullable<ParsedBody<'previewTrend'>['query']['groupBy']>[number];

/** Maximum number of groups if the query has no limit: the largest ones. */
const DEFAULT_GROUPS = 50;
/** The key of records without a value for the group. */
const NO_GROUP = 'none';
const COUNT: Aggregation = { type: 'count' };

/** Returns numbers over time: a row per interval, including empty ones, with a key per aggregation and group. */
export async function previewTrend(
  db: ServiceDb,
  { workspaceId, viewer }: AnalyticsView,
  body: ParsedBody<'previewTrend'>,
  now: Date,
): Promise<Trend> {
  const { query } = body;
  const analyticsQuery = toAnalyticsQuery({ workspaceId, viewer }, body, query.timeInterval);
  const aggregations = query.aggregations?.length ? query.aggregations : [COUNT];
  requireDifferentNames(aggregations);
  const groups = query.groupBy ?? [];
  const results: Value[][] = [];
  for (const aggregation of aggregations)
    results.push(await compute(db, analyticsQuery, aggregation, { groups, overTime: true }));

  const kept = largest(results.flat(), groups.length > 0 ? (query.limit ?? DEFAULT_GROUPS) : 1);
  const labels = await labelsOf(db, workspaceId, groups, kept);
  const series: Series[] = [];
  const cells = new Map<number, Record<string, number>>();
  for (const [place, aggregation] of aggregations.entries()) {
    const alias = aliasOf(aggregation);
    const keyOf = (group: string) =>
      groups.length === 0 ? alias : aggregations.length === 1 ? group : `${alias}: ${group}`;
    for (const [group, { label, color }] of labels) {
      const shownLabel =
        groups.length === 0 ? alias : aggregations.length === 1 ? label : `${alias}: ${label}`;
      series.push({ key: keyOf(group), label: shownLabel, color: color ?? colorAt(series.length) });
    }
    for (const { bucket, groups: ids, value } of results[place] ?? []) {
      const group = keyOfIds(ids);
      if (bucket === null || !labels.has(group)) continue;
      const cell = cells.get(bucket.getTime()) ?? {};
      cell[keyOf(group)] = value;
      cells.set(bucket.getTime(), cell);
    }
  }
  const starts = await intervals(db, analyticsQuery, results.flat(), now);
  let data = starts.map((start): Row => {
    const cell = cells.get(start.getTime()) ?? {};
    const values = Object.fromEntries(series.map(({ key }) => [key, cell[key] ?? 0]));
    // No literal has the type "a timestamp, and numbers under any other key".
    return { timestamp: start.toISOString(), ...values } as unknown as Row;
  });
  if (query.hideEmptyValues) data = data.filter((row) => series.some(({ key }) => row[key] !== 0));
  if (query.sortOrder === 'DESC') data.reverse();
  if (groups.length === 0 && query.limit) data = data.slice(0, query.limit);
  return { data, chartConfig: { type: 'line', series, xKey: 'timestamp' } };
}

function requireDifferentNames(aggregations: readonly Aggregation[]): void {
  const names = aggregations.map(aliasOf);
  const again = names.findIndex((name, place) => names.indexOf(name) !== place);
  if (again >= 0)
    throw malformed([
      {
        path: `query.aggregations.${again}.alias`,
        message: `Two aggregations are called "${names[again] ?? ''}"`,
      },
    ]);
}

function keyOfIds(ids: readonly (string | null)[]): string {
  return ids.map((id) => id ?? NO_GROUP).join(' / ');
}

/** Returns the groups with the largest sums, by key. */
function largest(values: readonly Value[], most: number): Map<string, (string | null)[]> {
  const sums = new Map<string, { ids: (string | null)[]; sum: number }>();
  for (const { groups, value } of values) {
    const key = keyOfIds(groups);
    const known = sums.get(key) ?? { ids: groups, sum: 0 };
    sums.set(key, { ids: groups, sum: known.sum + value });
  }
  const ordered = [...sums].sort(([a, x], [b, y]) => y.sum - x.sum || (a < b ? -1 : 1));
  return new Map(ordered.slice(0, most).map(([key, { ids }]) => [key, ids]));
}

/**
 * Returns the names of the groups; without groups there is a single one of everything, whether or not there are
 * records.
 */
async function labelsOf(
  db: ServiceDb,
  workspaceId: string,
  groups: readonly Group[],
  kept: ReadonlyMap<string, readonly (string | null)[]>,
): Promise<Map<string, { label: string; color: string | null }>> {
  if (groups.length === 0) return new Map([['', { label: '', color: null }]]);
  const nameOf = await Promise.all(
    groups.map((group, place) =>
      groupNames(
        db,
        workspaceId,
        group,
        [...kept.values()].map((ids) => ids[place] ?? null),
      ),
    ),
  );
  return new Map(
    [...kept].map(([key, ids]) => {
      const names = ids.map((id, place) => nameOf[place]?.(id) ?? { name: '', color: null });
      const color = names.length === 1 ? (names[0]?.color ?? null) : null;
      return [key, { label: names.map(({ name }) => name).join(' / '), color }];
    }),
  );
}

/** From the range's start, or the first record, to its end, or now. */
async function intervals(
  db: ServiceDb,
  analyticsQuery: AnalyticsQuery,
  values: readonly Value[],
  now: Date,
): Promise<Date[]> {
  const { from, to } = analyticsQuery.dateRange ?? {};
  const zone = analyticsQuery.timeZone;
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`select
    ${from ? toRange(from, zone, 'dateRange.from').start : sql`null::timestamptz`} as first,
    ${to ? sql`${toRange(to, zone, 'dateRange.to').end} - interval '1 millisecond'` : sql`null::timestamptz`} as last`.execute(
    db,
  );
  const times = values.flatMap(({ bucket }) => (bucket === null ? [] : [bucket.getTime()]));
  const first = rows[0]?.first ?? earliest(times);
  if (first === undefined) return [];
  const last = rows[0]?.last ?? new Date(Math.max(...lastOf(times), from ? now.getTime() : 0));
  return bucketsBetween(db, first, last, analyticsQuery);
}

function earliest(times: readonly number[]): Date | undefined {
  return times.length > 0 ? new Date(times.reduce((a, b) => Math.min(a, b))) : undefined;
}

function lastOf(times: readonly number[]): number[] {
  return times.length > 0 ? [times.reduce((a, b) => Math.max(a, b))] : [];
}
