import type { Aggregation, ChartConfig } from '../../contract/index.ts';

/** Distinguishable for colour-blind readers (Okabe and Ito, 2008). */
const PALETTE = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442', '#666666'];

export function colorAt(place: number): string {
  return PALETTE[place % PALETTE.length] ?? '#666666';
}

export function aliasOf({ alias, type, field }: Aggregation): string {
  return alias ?? `${type}_${field ?? 'id'}`;
}

/** Returns how a metric is drawn: as a number, or as bars with the groups along the axis. */
export function metricChart(aggregation: Aggregation, grouped: boolean): ChartConfig {
  return {
    type: grouped ? 'bar' : 'number',
    series: [{ key: 'value', label: aliasOf(aggregation), color: colorAt(0) }],
    xKey: 'groupName',
  };
}
