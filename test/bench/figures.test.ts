import { readFileSync } from 'node:fs';

import { describe, expect, it, test } from 'vitest';

import { chartOf } from '../../bench/lib/chart.ts';
import { type Figure, goalOf, percentile, formatFigure, summarize } from '../../bench/lib/figures.ts';
import { pageOf } from '../../bench/lib/page.ts';
import type { Results } from '../../bench/lib/report.ts';
import { NEW_ID, statementOf } from '../../bench/lib/statements.ts';
import { NUMBERS_PAGE, numbersPage } from '../../bench/write-page.ts';

const figure = (more: Partial<Figure> = {}): Figure => ({
  name: 'throughput',
  unit: 'messages/s',
  ours: [50, 80, 90],
  baseline: { name: 'another', values: [100, 100, 100] },
  ...more,
});

describe('benchmark figures', () => {
  it('a ratio is the median of the ratios per round, with their minimum and maximum', () => {
    const slowRound = figure({ ours: [50, 8, 90], baseline: { name: 'another', values: [100, 10, 100] } });
    expect(summarize(slowRound).ratio).toEqual({ median: 0.8, least: 0.5, most: 0.9 });
  });

  it('nothing beside nothing is as much as before, and something beside nothing is more', () => {
    const waiting = (ours: number[]) =>
      summarize(
        figure({ ours, baseline: { name: 'the third before', values: [0, 0, 0] }, goal: { atMost: 1.5 } }),
      );
    expect(waiting([0, 0, 0])).toMatchObject({ ratio: { median: 1, least: 1, most: 1 }, met: true });
    expect(waiting([2, 0, 3])).toMatchObject({ ratio: { least: 1, most: Infinity }, met: false });
  });

  it('a goal without a unit is compared with the ratio, a goal with a unit with the median of our own values', () => {
    expect(summarize(figure()).met).toBeUndefined();
    expect(summarize(figure({ goal: { atLeast: 0.8 } })).met).toBe(true);
    expect(summarize(figure({ goal: { atLeast: 0.9 } })).met).toBe(false);
    expect(summarize(figure({ goal: { atMost: 0.7 } })).met).toBe(false);
    expect(summarize(figure({ goal: { under: 80 } })).met).toBe(true);
    expect(summarize(figure({ goal: { under: 79 } })).met).toBe(false);
  });

  it('percentiles are measured values, and NaN without values', () => {
    expect(percentile([5, 1, 3], 0.5)).toBe(3);
    expect(percentile([5, 1, 3], 0.99)).toBe(5);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('values have three significant digits, and a dash if there is none', () => {
    expect([1234.5, 12.345, 0.012345, Number.NaN].map(formatFigure)).toEqual(['1235', '12.3', '0.012', '–']);
  });

  it('a goal is shown as it is evaluated', () => {
    expect(goalOf(figure({ goal: { atMost: 2 } }))).toBe('≤ 2×');
    expect(goalOf(figure({ goal: { under: 50 }, unit: 'ms' }))).toBe('≤ 50 ms');
    expect(goalOf(figure())).toBe('');
  });
});

test('docs/numbers.md is what the kept results say', async () => {
  expect(readFileSync(NUMBERS_PAGE, 'utf8')).toBe(await numbersPage());
});

describe('the benchmark page', () => {
  const machine = {
    cpu: 'A processor',
    cores: 2,
    memoryGb: 8,
    system: 'linux x64',
    node: 'v24',
    deskbridge: '0.1.0',
    postgres: '18.4',
    bolt: '5.1.0',
    load: 0.1,
  };
  const results = (figures: Figure[]): Results => ({
    date: '2026-11-21',
    machine,
    part: { title: 'A part', figures: figures.map(summarize) },
  });

  it('shows for each figure whether it meets its goal, and each note once', () => {
    const note = 'It is what it is.';
    const page = pageOf([
      results([
        figure({ goal: { atLeast: 0.7 }, note }),
        figure({ name: 'latency', unit: 'ms', goal: { atMost: 0.5 }, note }),
      ]),
    ]);
    expect(page).toContain('| throughput | 80.0 messages/s | 100 | 0.800× (0.500–0.900) | ≥ 0.7× | met |');
    expect(page).toContain('| ≤ 0.5× | **not met** |');
    expect(page.split(note)).toHaveLength(2);
  });

  it('the chart contains every ratio and escapes its text', () => {
    const none = { name: 'none', values: [] };
    const figures = [
      figure({ name: 'a < b & "c"' }),
      figure({ name: 'without a baseline', baseline: none }),
    ].map(summarize);
    const chart = chartOf([{ title: 'A part', figures }]);
    expect(chart).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(chart).not.toContain('without a baseline');
    expect(chart).not.toContain('NaN');
  });
});

describe('replayed statements', () => {
  it('the parameters take the ticket, content, time and new ids of the replayed request', () => {
    const parameters = ['tkt_1', 'hello', new Date(), Buffer.from('a'), `${NEW_ID}3`, 'OPEN', 7];
    const compiled = { sql: 'select 1', parameters } as unknown as Parameters<typeof statementOf>[0];
    expect(statementOf(compiled, { ticketId: 'tkt_1', content: 'hello' }).parameters).toEqual([
      { is: 'the ticket' },
      { is: 'the content' },
      { is: 'the time' },
      { is: 'bytes', base64: 'YQ==' },
      { is: 'a new id', number: 3 },
      { is: 'as recorded', value: 'OPEN' },
      { is: 'as recorded', value: 7 },
    ]);
    expect(statementOf(compiled).parameters[0]).toEqual({ is: 'as recorded', value: 'tkt_1' });
  });
});
