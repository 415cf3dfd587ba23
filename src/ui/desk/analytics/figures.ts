import type { Answer } from '../api/types.ts';
import { BARS, type Group, type Question, SERIES, WHAT } from './question.ts';
import { type Interval, intervalName, type Unit } from './units.ts';

type Metric = Answer<'previewMetric'>;
export type Trend = Answer<'previewTrend'>;

/** The data of a chart and its table: rows with one value per series, or null. */
export interface Figures {
  kind: 'bars' | 'columns' | 'lines';
  unit: Unit;
  series: string[];
  rows: { name: string; short: string; values: (number | null)[] }[];
  /** Whether there are further groups. */
  isCut: boolean;
}

/** The texts that figures need, from the catalogue. */
export interface Names {
  what: string;
  group: (by: Group, id: string | null, name: string) => string;
  soFar: (name: string) => string;
  weekOf: (day: string) => string;
}

/** Without data the service returns 0: that is a valid count, but for a time or rating it means no value. */
export const valueOf = (unit: Unit, value: unknown): number | null =>
  typeof value !== 'number' || (unit !== 'count' && value === 0) ? null : value;

/** Groups with a natural order keep it; others are sorted by size, as the service returns them. */
const ORDERS: Partial<Record<Group, string[]>> = {
  priority: ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'],
  csatScore: ['5', '4', '3', '2', '1'],
};

export function ofGroups(by: Group, unit: Unit, { data }: Metric, names: Names): Figures {
  const order = ORDERS[by] ?? [];
  const place = ({ groupId }: { groupId: string | null }) =>
    order.includes(groupId ?? '') ? order.indexOf(groupId ?? '') : order.length;
  const shown = data.slice(0, BARS).toSorted((one, other) => place(one) - place(other));
  const rows = shown.map(({ groupId, groupName, value }) => {
    const name = names.group(by, groupId, groupName);
    return { name, short: name, values: [valueOf(unit, value)] };
  });
  return { kind: 'bars', unit, series: [names.what], rows, isCut: data.length > BARS };
}

export function ofTime(
  { by, what, range }: Pick<Question, 'by' | 'what' | 'range'>,
  per: Interval,
  { data, chartConfig }: Trend,
  names: Names,
): Figures {
  const { unit } = WHAT[what];
  const shown = chartConfig.series.slice(0, by ? SERIES : 1);
  const rows = data.map((row, place) => {
    const { short, long } = intervalName(per, row.timestamp);
    const name = per === 'week' ? names.weekOf(long) : long;
    // A range that ends now ends within an interval.
    const isRunning = range !== 'own' && place === data.length - 1;
    return {
      short,
      name: isRunning ? names.soFar(name) : name,
      values: shown.map(({ key }) => valueOf(unit, row[key])),
    };
  });
  return {
    kind: by || unit !== 'count' ? 'lines' : 'columns',
    unit,
    series: by ? shown.map(({ key, label }) => names.group(by, key, label)) : [names.what],
    rows,
    isCut: chartConfig.series.length > shown.length,
  };
}

/** A count of none is as good as none; no percent of something is a figure. */
export function isEmpty({ unit, rows }: Figures): boolean {
  return rows.every(({ values }) =>
    values.every((value) => value === null || (value === 0 && unit === 'count')),
  );
}

/** The highest value with its names; undefined without values. */
export function highestOf({ series, rows }: Figures) {
  const all = rows.flatMap(({ name, values }) =>
    values.flatMap((value, place) =>
      value === null ? [] : [{ value, name: series.length > 1 ? `${name}, ${series[place]}` : name }],
    ),
  );
  return all.toSorted((one, other) => other.value - one.value)[0];
}
