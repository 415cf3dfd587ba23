import { expect, test } from 'vitest';

import { isEmpty } from '../../src/ui/desk/analytics/figures.ts';
import { intervalOf, type Range, rangeOf, type Span } from '../../src/ui/desk/analytics/question.ts';
import {
  attained,
  type Breach,
  byWeek,
  heldShare,
  partsOf,
  weeksOf,
} from '../../src/ui/desk/analytics/sla-figures.ts';
import { type Interval, inWords, ticksOf } from '../../src/ui/desk/analytics/units.ts';

test('durations have their two largest parts, and never a sixtieth minute', () => {
  const words = [0.4, 59.6, 3599, 3600, 7500, 172_799, 180_000, 259_200].map((value) =>
    inWords('seconds', value),
  );
  expect(words).toEqual(['0s', '1m', '1h', '1h', '2h 5m', '2d', '2d 2h', '3d']);
  expect([inWords('score', 4.25), inWords('seconds', null)]).toEqual([
    expect.stringMatching(/^4.[23]$/),
    '–',
  ]);
});

test('an axis begins at 0, ends at or above the highest value, and has few round ticks', () => {
  for (const unit of ['count', 'seconds'] as const)
    for (const highest of [0, 1, 3, 7, 42, 99, 100, 1234, 86_400, 400_000, 9_999_999]) {
      const ticks = ticksOf(unit, highest);
      expect([
        unit,
        highest,
        ticks[0],
        (ticks.at(-1) ?? 0) >= highest,
        ticks.length <= 6,
        ticks.length >= 2,
      ]).toEqual([unit, highest, 0, true, true, true]);
    }
  expect([ticksOf('count', 7), ticksOf('seconds', 7000), ticksOf('score', 3)]).toEqual([
    [0, 2, 4, 6, 8],
    [0, 1800, 3600, 5400, 7200],
    [0, 1, 2, 3, 4, 5],
  ]);
});

test('a range begins with an interval, and no interval gives more points than a chart can show', () => {
  const now = new Date(2026, 10, 18, 15, 30);
  const from = (range: Range) => rangeOf({ range }, now).from;
  expect([from('24h'), from('7d'), from('13w'), from('12m')]).toEqual([
    new Date(2026, 10, 17, 16),
    new Date(2026, 10, 12),
    new Date(2026, 7, 24),
    new Date(2025, 11, 1),
  ]);
  const own = rangeOf({ range: 'own', from: '2026-03-01', to: '2026-03-01' }, now);
  expect([own.from, own.to]).toEqual([new Date(2026, 2, 1), new Date(2026, 2, 1, 23, 59, 59, 999)]);
  const per = (range: Range, wanted?: Interval) =>
    intervalOf({ range, per: wanted }, rangeOf({ range }, now));
  expect([per('30d'), per('30d', 'week'), per('12m', 'hour'), per('12m', 'day')]).toEqual([
    'day',
    'week',
    'month',
    'day',
  ]);
  const years = rangeOf({ range: 'own', from: '2016-01-01', to: '2026-01-01' }, now);
  expect(intervalOf({ range: 'own', per: 'day' }, years)).toBe('quarter');
  expect(intervalOf({ range: 'own', per: undefined }, own)).toBe('hour');
});

const PERIOD: Span = { from: new Date(2026, 9, 22), to: new Date(2026, 10, 9, 12) };
const figures = (firstReply: [number, number], resolution: [number, number]) => ({
  firstReply: { attained: firstReply[0], missed: firstReply[1], medianMinutes: null },
  resolution: { attained: resolution[0], missed: resolution[1], medianMinutes: null },
  openMinutes: 0,
  heldMinutes: 0,
  waitedWithoutReply: 0,
});

test('what is almost all in time is never said to be all of it, and of nothing there is no share', () => {
  const share = (inTime: number, missed: number) =>
    inWords('percent', attained({ attained: inTime, missed, medianMinutes: null }));
  expect([share(7, 1), share(199, 1), share(9_999, 1), share(5, 0), share(0, 3), share(0, 0)]).toEqual([
    '88%',
    '99.5%',
    '99.9%',
    '100%',
    '0%',
    '–',
  ]);
  expect([
    heldShare({ openMinutes: 90, heldMinutes: 30 }),
    heldShare({ openMinutes: 0, heldMinutes: 0 }),
  ]).toEqual([25, null]);
});

test('the weeks of a report are those of its period, also over a change of clocks; one without results has no value', () => {
  expect(weeksOf(PERIOD)).toEqual(['2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09']);
  const names = { series: ['First reply', 'Resolution'], weekOf: (day: string) => `Week of ${day}` };
  const group = { groupId: '2026-10-26', groupName: '2026-10-26', ...figures([3, 1], [0, 2]) };
  const weeks = byWeek({ groups: [group] }, PERIOD, names);
  expect(weeks.rows.map(({ values }) => values)).toEqual([
    [null, null],
    [75, 0],
    [null, null],
    [null, null],
  ]);
  expect(weeks.rows[1]?.name).toBe('Week of Oct 26, 2026');
  // All late is something, no results are nothing.
  const late = byWeek({ groups: [{ ...group, ...figures([0, 1], [0, 0]) }] }, PERIOD, names);
  expect([isEmpty(late), isEmpty(byWeek({ groups: [] }, PERIOD, names))]).toEqual([false, true]);
});

test('the bar of a breach is made of its time within and over the target, held and outside hours', () => {
  const breach = { minutes: 60, openMinutes: 90, heldMinutes: 0, outsideMinutes: 30 } as Breach;
  expect(partsOf(breach)).toEqual([
    { part: 'within', minutes: 60 },
    { part: 'over', minutes: 30 },
    { part: 'outside', minutes: 30 },
  ]);
});
