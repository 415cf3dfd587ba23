import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  addWorkingTime,
  type Hours,
  nextTime,
  timeOf,
  workingMinutes,
  workingTimeBefore,
} from '../../src/platform/working-time.ts';

const week = (timeZone: string, ...spans: [number, string, string][]): Hours => ({
  timeZone,
  days: spans.map(([day, from, to]) => ({ day, from, to })),
  holidays: [],
});
const office = (timeZone: string, ...spans: [string, string][]) =>
  week(
    timeZone,
    ...[1, 2, 3, 4, 5].flatMap((day) => spans.map(([from, to]): [number, string, string] => [day, from, to])),
  );
const BERLIN = office('Europe/Berlin', ['09:00', '17:00']);
const WITH_LUNCH = office('Europe/Berlin', ['13:00', '17:00'], ['09:00', '12:00']);
const NIGHTS = week('Europe/Berlin', [7, '00:00', '06:00'], [6, '22:00', '24:00']);
const EVERY_MORNING = week(
  'Pacific/Apia',
  ...[1, 2, 3, 4, 5, 6, 7].map((day): [number, string, string] => [day, '09:00', '10:00']),
);
const YORK_NIGHTS = week('America/New_York', [7, '00:00', '24:00']);

// 2026-11-20 is a Friday; clocks in Berlin change on 2026-03-29 and 2026-10-25.
describe('working time added to an instant ends', () => {
  it.each<[string, Hours | undefined, string, number, string]>([
    [
      'around the clock after just these minutes',
      undefined,
      '2026-11-20T22:00:00.000Z',
      180,
      '2026-11-21T01:00:00.000Z',
    ],
    ['on the same day', BERLIN, '2026-11-20T09:30:00.000Z', 60, '2026-11-20T10:30:00.000Z'],
    [
      'at the end of the day, not at the start of the next',
      BERLIN,
      '2026-11-20T15:00:00.000Z',
      60,
      '2026-11-20T16:00:00.000Z',
    ],
    ['on Monday if Friday is over', BERLIN, '2026-11-20T15:30:00.000Z', 60, '2026-11-23T08:30:00.000Z'],
    [
      'counted from the morning if it begins before',
      BERLIN,
      '2026-11-20T03:00:00.000Z',
      60,
      '2026-11-20T09:00:00.000Z',
    ],
    [
      'after the weekend if it begins there',
      BERLIN,
      '2026-11-21T12:00:00.000Z',
      1,
      '2026-11-23T08:01:00.000Z',
    ],
    [
      'after a break of the day, whatever the order of the spans',
      WITH_LUNCH,
      '2026-11-20T10:30:00.000Z',
      60,
      '2026-11-20T12:30:00.000Z',
    ],
    [
      'after holidays',
      { ...BERLIN, holidays: [{ date: '2026-11-23' }, { date: '2026-11-24' }] },
      '2026-11-20T15:30:00.000Z',
      60,
      '2026-11-25T08:30:00.000Z',
    ],
    [
      'an hour earlier in UTC after the clocks went forward',
      BERLIN,
      '2026-03-27T15:30:00.000Z',
      60,
      '2026-03-30T07:30:00.000Z',
    ],
    [
      'an hour later in UTC after the clocks went back',
      BERLIN,
      '2026-10-23T14:30:00.000Z',
      60,
      '2026-10-26T08:30:00.000Z',
    ],
    [
      'after spans that touch at midnight',
      NIGHTS,
      '2026-11-21T21:00:00.000Z',
      240,
      '2026-11-22T01:00:00.000Z',
    ],
    [
      'with the hour that a night does not have',
      NIGHTS,
      '2026-03-28T21:00:00.000Z',
      240,
      '2026-03-29T01:00:00.000Z',
    ],
    [
      'at the end of a day of 23 hours',
      YORK_NIGHTS,
      '2026-03-08T05:00:00.000Z',
      23 * 60,
      '2026-03-09T04:00:00.000Z',
    ],
    [
      'at the end of a day of 25 hours',
      YORK_NIGHTS,
      '2026-11-01T04:00:00.000Z',
      25 * 60,
      '2026-11-02T05:00:00.000Z',
    ],
    [
      'in zones that are not whole hours from UTC',
      office('Asia/Kathmandu', ['09:00', '17:00']),
      '2026-11-20T00:00:00.000Z',
      30,
      '2026-11-20T03:45:00.000Z',
    ],
    [
      'although the zone left out a day',
      EVERY_MORNING,
      '2011-12-29T20:30:00.000Z',
      60,
      '2011-12-30T20:00:00.000Z',
    ],
  ])('%s', (_, hours, from, minutes, end) => {
    expect(addWorkingTime(hours, new Date(from), minutes)?.toISOString()).toBe(end);
  });

  it('never, without working time', () => {
    const from = new Date('2026-11-20T09:30:00.000Z');
    expect(addWorkingTime(week('UTC'), from, 1)).toBeUndefined();
    // A minute a week: a year of work is too far away.
    expect(addWorkingTime(week('UTC', [1, '09:00', '09:01']), from, 366 * 24 * 60)).toBeUndefined();
  });
});

it('a time of day that comes twice is its first, and one that a change leaves out is the change', () => {
  const minutes = (from: string, to: string, date: string) =>
    workingMinutes(
      week('Europe/Berlin', [7, from, to]),
      new Date(Date.parse(date) - 12 * 60 * 60_000),
      new Date(`${date}T12:00:00.000Z`),
    );
  expect(minutes('02:15', '02:45', '2026-03-29')).toBe(0);
  expect(minutes('02:30', '03:30', '2026-03-29')).toBe(30);
  expect(minutes('01:30', '02:30', '2026-10-25')).toBe(60);
  expect(minutes('02:30', '03:00', '2026-10-25')).toBe(90);
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Tehran',
];
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
/** Spans of a day that do not overlap; they may touch. */
const spansOf = (day: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: 24 * 60 }), { maxLength: 6 }).map((times) => {
    const sorted = [...times].sort((a, b) => a - b);
    return sorted.slice(1).flatMap((to, at) => {
      const from = sorted[at] ?? 0;
      return at % 3 === 2 ? [] : [{ day, from: clock(from), to: clock(to) }];
    });
  });
const date = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const hours: fc.Arbitrary<Hours> = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  days: fc
    .tuple(...[1, 2, 3, 4, 5, 6, 7].map(spansOf))
    .map((days) => days.flat())
    .filter((days) => days.some(({ from, to }) => timeOf(to) - timeOf(from) > 10 * 60_000)),
  holidays: fc.array(
    date.map((each) => ({ date: each.toISOString().slice(0, 10) })),
    { maxLength: 20 },
  ),
});
const minutes = fc.integer({ min: 1, max: 3_000 });

describe('whatever the hours, the zone and the instant', () => {
  it('the time measured up to the end is the time that was added', () => {
    fc.assert(
      fc.property(hours, date, minutes, (given, from, added) => {
        const end = addWorkingTime(given, from, added);
        if (end) expect(workingMinutes(given, from, end)).toBeCloseTo(added, 6);
      }),
      { numRuns: 200 },
    );
  });

  it('more time ends later, and a later start never earlier', () => {
    fc.assert(
      fc.property(hours, date, minutes, minutes, (given, from, added, more) => {
        const end = addWorkingTime(given, from, added)?.getTime() ?? Infinity;
        const later = addWorkingTime(given, from, added + more)?.getTime() ?? Infinity;
        const start = new Date(from.getTime() + more * 60_000);
        expect(end === Infinity ? later : end < later).toBeTruthy();
        expect(addWorkingTime(given, start, added)?.getTime() ?? Infinity).toBeGreaterThanOrEqual(end);
      }),
      { numRuns: 200 },
    );
  });

  it('the end is within working time: the minute before it counts', () => {
    fc.assert(
      fc.property(hours, date, minutes, (given, from, added) => {
        const end = addWorkingTime(given, from, added);
        if (!end) return;
        expect(workingMinutes(given, new Date(end.getTime() - 1), end)).toBeGreaterThan(0);
        expect(end.getTime()).toBeGreaterThan(from.getTime());
      }),
      { numRuns: 200 },
    );
  });

  it('the instant from which a time has just passed is the latest one', () => {
    fc.assert(
      fc.property(hours, date, minutes, (given, to, passed) => {
        const from = workingTimeBefore(given, to, passed);
        if (!from) return;
        expect(workingMinutes(given, from, to)).toBeCloseTo(passed, 6);
        expect(workingMinutes(given, new Date(from.getTime() + 1), to)).toBeLessThan(passed);
      }),
      { numRuns: 100 },
    );
  });

  it('a holiday takes time away and never adds any', () => {
    fc.assert(
      fc.property(hours, date, minutes, (given, from, span) => {
        const to = new Date(from.getTime() + span * 60_000);
        expect(workingMinutes(given, from, to)).toBeLessThanOrEqual(
          workingMinutes({ ...given, holidays: [] }, from, to),
        );
      }),
      { numRuns: 100 },
    );
  });
});

// Clocks in Berlin change on 2026-03-29 at 02:00 and on 2026-10-25 at 03:00; both are Sundays.
describe('a time of day comes next', () => {
  const MONDAY = [1];
  const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
  it.each<[string, { timeZone: string; days: readonly number[]; time: string }, string, string[]]>([
    [
      'on each Monday at nine, whatever that is in UTC',
      { timeZone: 'Europe/Berlin', days: MONDAY, time: '09:00' },
      '2026-10-19T06:59:59.999Z',
      ['2026-10-19T07:00:00.000Z', '2026-10-26T08:00:00.000Z', '2026-11-02T08:00:00.000Z'],
    ],
    [
      'once on the day on which it comes twice',
      { timeZone: 'Europe/Berlin', days: EVERY_DAY, time: '02:30' },
      '2026-10-24T12:00:00.000Z',
      ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      'once on the day that leaves it out, when the clock changes',
      { timeZone: 'Europe/Berlin', days: EVERY_DAY, time: '02:30' },
      '2026-03-28T12:00:00.000Z',
      ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'on the day that it is there, which in UTC is another one',
      { timeZone: 'Pacific/Auckland', days: MONDAY, time: '08:00' },
      '2026-11-20T09:30:00.000Z',
      ['2026-11-22T19:00:00.000Z'],
    ],
  ])('%s', (_what, schedule, after, expected) => {
    let at = new Date(after);
    const found = expected.map(() => (at = nextTime(schedule, at)).toISOString());
    expect(found).toEqual(expected);
  });
});
