import { describe, expect, it } from 'vitest';

import { asker, fourTickets, writeTimes } from './data.ts';
import { sharedService } from '../harness.ts';

const newWorkspace = sharedService();

type Cells = Record<string, string | number | null>;
const rowsOf = (data: readonly Cells[], key: string) => data.map((row) => [row['timestamp'], row[key]]);

describe('a trend', () => {
  it('has a row for every interval of its range, with 0 for empty ones', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    const range = { dateRange: { from: '2026-02-28', to: '2026-03-04' } };
    const { data, chartConfig } = await ask('trend', { timeInterval: 'day' }, range);
    expect(rowsOf(data, 'count_id')).toEqual([
      ['2026-02-28T00:00:00.000Z', 0],
      ['2026-03-01T00:00:00.000Z', 2],
      ['2026-03-02T00:00:00.000Z', 0],
      ['2026-03-03T00:00:00.000Z', 1],
      ['2026-03-04T00:00:00.000Z', 1],
    ]);
    expect(chartConfig).toMatchObject({ type: 'line', xKey: 'timestamp', series: [{ key: 'count_id' }] });
    const busy = await ask('trend', { hideEmptyValues: true, sortOrder: 'DESC', limit: 3 }, range);
    expect(rowsOf(busy.data, 'count_id')).toEqual([
      ['2026-03-04T00:00:00.000Z', 1],
      ['2026-03-03T00:00:00.000Z', 1],
      ['2026-03-01T00:00:00.000Z', 2],
    ]);
    const nothing = await ask('trend', {}, { dateRange: { from: '2020-01-01', to: '2020-01-02' } });
    expect(rowsOf(nothing.data, 'count_id')).toEqual([
      ['2020-01-01T00:00:00.000Z', 0],
      ['2020-01-02T00:00:00.000Z', 0],
    ]);
  });

  it('without a range covers the first to the last record, by any date', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    expect((await ask('trend', {})).data.map(({ timestamp }) => timestamp)).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
      '2026-03-04T00:00:00.000Z',
    ]);
    const resolved = await ask('trend', { dateField: 'resolvedAt', timeInterval: 'hour' });
    expect(rowsOf(resolved.data, 'count_id')).toEqual([['2026-03-01T11:00:00.000Z', 1]]);
    expect((await ask('trend', { dateField: 'closedAt' })).data).toEqual([]);
  });

  it('has a key for each aggregation, and for each group, the largest groups first', async () => {
    const { ask } = await fourTickets(await newWorkspace());
    const month = { timeInterval: 'month' };
    const aggregations = [
      { type: 'count', alias: 'Tickets' },
      { type: 'median', field: 'responseTime', alias: 'Response' },
    ];
    const several = await ask('trend', { ...month, aggregations });
    expect(several.data).toEqual([{ timestamp: '2026-03-01T00:00:00.000Z', Tickets: 4, Response: 150 }]);
    const byTag = await ask('trend', { ...month, groupBy: ['tags'] });
    expect(byTag.data).toEqual([{ timestamp: '2026-03-01T00:00:00.000Z', tag_vpn: 2, none: 2, tag_wifi: 1 }]);
    expect(byTag.chartConfig.series.map(({ label }) => label)).toEqual(['None', 'VPN', "Wi-Fi's"]);
    expect(byTag.chartConfig.series[1]?.color).toBe('#123456');
    const limited = await ask('trend', { ...month, groupBy: ['priority'], limit: 1 });
    expect(limited.data).toEqual([{ timestamp: '2026-03-01T00:00:00.000Z', HIGH: 2 }]);
    const both = await ask('trend', { ...month, aggregations, groupBy: ['priority', 'source'] });
    expect(both.data[0]).toMatchObject({ 'Tickets: HIGH / API': 2, 'Response: LOW / CHAT': 120 });
    const messages = await ask('trend', { dataSource: 'TicketMessage', groupBy: ['priority'] });
    expect([messages.status, messages.data]).toEqual([200, []]);
  });
});

it('has at most 100,000 values: rows × groups × aggregations, however they are reached', async () => {
  const { ask } = await fourTickets(await newWorkspace());
  const year = { dateRange: { from: '2026-01-01', to: '2026-12-31' } };
  const aggregations = Array.from({ length: 10 }, (_, at) => ({ type: 'count', alias: `n${at}` }));
  const hours = { timeInterval: 'hour', aggregations };
  const statusOf = async (query: Record<string, unknown>, range = year) =>
    (await ask('trend', { ...hours, ...query }, range)).status;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ groupBy: ['priority'], limit: 1 })).toBe(200);
  // The number of groups that there are counts, not the number that would be allowed.
  const few = { groupBy: ['priority'], limit: 10_000, aggregations: aggregations.slice(0, 3) };
  expect(await statusOf(few)).toBe(200);
  for (const [query, range] of [
    [{ groupBy: ['priority'] }, year],
    [{ groupBy: ['priority', 'source'], limit: 10_000 }, year],
    [{ groupBy: ['tags'], limit: 2, hideEmptyValues: true }, year],
    [{ groupBy: ['priority'], timeInterval: 'day' }, { dateRange: { from: '2000-01-01', to: '2026-12-31' } }],
  ] as const) {
    const refused = await ask('trend', { ...hours, ...query }, range);
    expect([query, refused.status, refused.issue?.message]).toEqual([
      query,
      422,
      expect.stringContaining('more than 100000 values'),
    ]);
  }
});

describe('time zones', () => {
  /** One ticket at each of these times. */
  async function ticketsAt(...instants: string[]) {
    const running = await newWorkspace();
    const times: Record<string, { created_at: string }> = {};
    for (const created_at of instants) {
      const { body } = await running.call('POST', '/tickets', { body: { title: created_at } });
      times[body.id] = { created_at };
    }
    await writeTimes(running, times);
    const ask = asker(running);
    return async (timeInterval: string, timeZone: string, from: string, to: string) =>
      rowsOf((await ask('trend', { timeInterval }, { timeZone, dateRange: { from, to } })).data, 'count_id');
  }

  it('Europe/Madrid in spring: 29 March 2026 has 23 hours', async () => {
    // 00:30, 01:59 and 03:01 local time; the last before midnight is 23:59 in summer time.
    const trend = await ticketsAt(
      '2026-03-28T23:30:00Z',
      '2026-03-29T00:59:00Z',
      '2026-03-29T01:01:00Z',
      '2026-03-29T21:59:00Z',
      '2026-03-29T22:00:00Z',
    );
    expect(await trend('day', 'Europe/Madrid', '2026-03-28', '2026-03-30')).toEqual([
      ['2026-03-27T23:00:00.000Z', 0],
      ['2026-03-28T23:00:00.000Z', 4],
      ['2026-03-29T22:00:00.000Z', 1],
    ]);
    const hours = await trend('hour', 'Europe/Madrid', '2026-03-29', '2026-03-29');
    expect(hours).toHaveLength(23);
    expect(hours.slice(0, 3)).toEqual([
      ['2026-03-28T23:00:00.000Z', 1],
      ['2026-03-29T00:00:00.000Z', 1],
      ['2026-03-29T01:00:00.000Z', 1],
    ]);
  });

  it('Europe/Madrid in autumn: 25 October 2026 has 25 hours, and the repeated hour counts as two', async () => {
    const trend = await ticketsAt(
      '2026-10-24T22:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T22:59:59Z',
    );
    expect(await trend('day', 'Europe/Madrid', '2026-10-25', '2026-10-26')).toEqual([
      ['2026-10-24T22:00:00.000Z', 4],
      ['2026-10-25T23:00:00.000Z', 0],
    ]);
    const hours = await trend('hour', 'Europe/Madrid', '2026-10-25', '2026-10-25');
    expect(hours).toHaveLength(25);
    expect(hours[2]).toEqual(['2026-10-25T00:00:00.000Z', 1]);
    expect(hours[3]).toEqual(['2026-10-25T01:00:00.000Z', 1]);
  });

  it('America/New_York around both clock changes of 2026, by day, week and month', async () => {
    // 8 March 06:59Z is 01:59 local time; 1 November 05:30Z and 06:30Z are both 01:30.
    const trend = await ticketsAt(
      '2026-03-08T04:59:00Z',
      '2026-03-08T06:59:00Z',
      '2026-03-09T03:59:00Z',
      '2026-11-01T03:59:00Z',
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:30:00Z',
      '2026-11-02T04:59:00Z',
    );
    const zone = 'America/New_York';
    expect(await trend('day', zone, '2026-03-07', '2026-03-09')).toEqual([
      ['2026-03-07T05:00:00.000Z', 1],
      ['2026-03-08T05:00:00.000Z', 2],
      ['2026-03-09T04:00:00.000Z', 0],
    ]);
    expect(await trend('hour', zone, '2026-03-08', '2026-03-08')).toHaveLength(23);
    expect(await trend('day', zone, '2026-10-31', '2026-11-02')).toEqual([
      ['2026-10-31T04:00:00.000Z', 1],
      ['2026-11-01T04:00:00.000Z', 3],
      ['2026-11-02T05:00:00.000Z', 0],
    ]);
    const hours = await trend('hour', zone, '2026-11-01', '2026-11-01');
    expect(hours).toHaveLength(25);
    expect(hours.filter(([, count]) => count !== 0).map(([hour]) => hour)).toEqual([
      '2026-11-01T05:00:00.000Z',
      '2026-11-01T06:00:00.000Z',
      '2026-11-02T04:00:00.000Z',
    ]);
    expect(await trend('week', zone, '2026-03-02', '2026-03-15')).toEqual([
      ['2026-03-02T05:00:00.000Z', 3],
      ['2026-03-09T04:00:00.000Z', 0],
    ]);
    expect(await trend('month', zone, '2026-10-01', '2026-11-30')).toEqual([
      ['2026-10-01T04:00:00.000Z', 1],
      ['2026-11-01T04:00:00.000Z', 3],
    ]);
    expect(await trend('quarter', zone, '2026-01-01', '2026-12-31')).toEqual([
      ['2026-01-01T05:00:00.000Z', 3],
      ['2026-04-01T04:00:00.000Z', 0],
      ['2026-07-01T04:00:00.000Z', 0],
      ['2026-10-01T04:00:00.000Z', 4],
    ]);
    expect(await trend('year', zone, '2026-01-01', '2026-12-31')).toEqual([['2026-01-01T05:00:00.000Z', 7]]);
  });

  it('zones with half-hour offsets, half-hour clock changes and a day that never was', async () => {
    const trend = await ticketsAt(
      '2026-04-04T14:50:00Z',
      '2026-04-04T15:20:00Z',
      '2011-12-30T09:59:00Z',
      '2011-12-30T10:00:00Z',
    );
    // Lord Howe moves back by half an hour at 15:00Z, so its hours start at other minutes afterwards.
    const hours = await trend('hour', 'Australia/Lord_Howe', '2026-04-05', '2026-04-05');
    expect(hours.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(2);
    // Samoa went from 29 to 31 December 2011.
    expect(await trend('day', 'Pacific/Apia', '2011-12-29', '2011-12-31')).toEqual([
      ['2011-12-29T10:00:00.000Z', 1],
      ['2011-12-30T10:00:00.000Z', 1],
    ]);
    expect((await trend('day', 'Asia/Kolkata', '2026-04-04', '2026-04-04'))[0]).toEqual([
      '2026-04-03T18:30:00.000Z',
      2,
    ]);
  });
});
