import { sql } from 'kysely';

import { type Aggregation, LIMITS, type ParsedBody, type Trend } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { malformed, unprocessable } from '../problem.ts';
import { bucketsBetween } from './buckets.ts';
import { aliasOf, colorAt } from './chart.ts';
import { toRange } from './ranges.ts';
import { groupNames } from './names.ts';
import {
  type AnalyticsQuery,
  type AnalyticsView,
  compute,
  keyOfIds,
  largestGroups,
  timeSpanOfRecords,
  toAnalyticsQuery,
} from './records.ts';

type Row = Trend['data'][number];
type Series = Trend['chartConfig']['series'][number];
type Group = NonNullable<ParsedBody<'previewTrend'>['query']['groupBy']>[number];

/** Maximum number of groups if the query has no limit: the largest ones. */
const DEFAULT_GROUPS = 50;
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
  const most = query.limit ?? DEFAULT_GROUPS;
  const found =
    groups.length > 0 ? await largestGroups(db, analyticsQuery, aggregations, { groups, most }) : [];
  const kept = new Map(found.map((ids) => [keyOfIds(ids), ids]));
  const labels = await labelsOf(db, workspaceId, groups, kept);
  const starts = await intervals(db, analyticsQuery, aggregations, now);
  requireFewCells(starts.length, labels.size, aggregations.length);
  const series: Series[] = [];
  const cells = new Map<number, Record<string, number>>();
  for (const aggregation of aggregations) {
    const alias = aliasOf(aggregation);
    const keyOf = (group: string) =>
      groups.length === 0 ? alias : aggregations.length === 1 ? group : `${alias}: ${group}`;
    for (const [group, { label, color }] of labels) {
      const shownLabel =
        groups.length === 0 ? alias : aggregations.length === 1 ? label : `${alias}: ${label}`;
      series.push({ key: keyOf(group), label: shownLabel, color: color ?? colorAt(series.length) });
    }
    const values = await compute(
      db,
      analyticsQuery,
      aggregation,
      { groups, overTime: true },
      groups.length > 0 ? { keys: [...kept.keys()] } : {},
    );
    for (const { bucket, groups: ids, value } of values) {
      const group = keyOfIds(ids);
      if (bucket === null || !labels.has(group)) continue;
      const cell = cells.get(bucket.getTime()) ?? {};
      cell[keyOf(group)] = value;
      cells.set(bucket.getTime(), cell);
    }
  }
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

/** Before the values are read: throws 422 if they would be too many for one answer. */
function requireFewCells(rows: number, series: number, aggregations: number): void {
  const { cells } = LIMITS.analytics;
  if (rows * series * aggregations > cells)
    throw unprocessable(
      'query',
      `${rows} intervals × ${series} groups × ${aggregations} aggregations are more than ${cells} values. Take longer intervals, a shorter range, or fewer groups (limit) or aggregations`,
    );
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
  aggregations: readonly Aggregation[],
  now: Date,
): Promise<Date[]> {
  const { from, to } = analyticsQuery.dateRange ?? {};
  const zone = analyticsQuery.timeZone;
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`select
    ${from ? toRange(from, zone, 'dateRange.from').start : sql`null::timestamptz`} as first,
    ${to ? sql`${toRange(to, zone, 'dateRange.to').end} - interval '1 millisecond'` : sql`null::timestamptz`} as last`.execute(
    db,
  );
  const [range] = rows;
  const span = from && to ? undefined : await timeSpanOfRecords(db, analyticsQuery, aggregations);
  const first = range?.first ?? span?.first;
  if (!first) return [];
  const last = range?.last ?? new Date(Math.max(span?.last?.getTime() ?? 0, from ? now.getTime() : 0));
  return bucketsBetween(db, first, last, analyticsQuery);
}
