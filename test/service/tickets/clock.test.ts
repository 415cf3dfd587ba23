import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Hours } from '../../../src/platform/working-time.ts';
import { instantAfter, spentUntil, type Stop } from '../../../src/service/tickets/clock.ts';

// The cases are the tables of docs/clocks.md, where their results were worked out by hand.

type Row = Record<string, string>;

/** Returns the rows of the tables of a page, by their headings. */
function tablesOf(page: string): Row[][] {
  const cells = (line: string) => line.split('|').slice(1, -1);
  return page.split(/\n\n+/).flatMap((part) => {
    const [heading, rule, ...lines] = part.trim().split('\n');
    if (heading === undefined || !rule?.startsWith('| ---')) return [];
    const names = cells(heading).map((name) => name.trim());
    return [
      lines.map((line) => Object.fromEntries(cells(line).map((cell, at) => [names[at] ?? '', cell.trim()]))),
    ];
  });
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Returns an instant such as `Fri 2026-11-20 10:30 +01`; its weekday must be right. */
function instantOf(text: string): Date {
  const [, weekday, date = '', time = '', offset] =
    /^(\w{3}) (\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) ([+-]\d\d)$/.exec(text.trim()) ?? [];
  expect([text, WEEKDAYS[new Date(date).getUTCDay()]]).toEqual([text, weekday]);
  return new Date(`${date}T${time.length === 5 ? `${time}:00` : time}${offset ?? ''}:00`);
}

/** Returns minutes of a time such as `6h30`. */
function minutesOf(text: string): number {
  const [hours = '', minutes = ''] = text.split('h');
  return Number(hours) * 60 + Number(minutes);
}

function hoursOf(row: Row): Hours | undefined {
  const { In: timeZone = '', 'Days and times': times = '', Holiday: date = '' } = row;
  if (times === 'around the clock') return undefined;
  const days = times.split(', ').flatMap((span) => {
    const [, first = '', last = first, from = '', to = ''] =
      /^(\d)(?:-(\d))? (\d\d:\d\d)-(\d\d:\d\d)$/.exec(span) ?? [];
    return [1, 2, 3, 4, 5, 6, 7]
      .filter((day) => day >= Number(first) && day <= Number(last))
      .map((day) => ({ day, from, to }));
  });
  return { timeZone, days, holidays: date === '' ? [] : [{ date }] };
}

function stopsOf(text: string): Stop[] {
  if (text === '') return [];
  return text.split('<br>').map((span) => {
    const [from = '', to = ''] = span.slice(1).split('→');
    return {
      reason: span.startsWith('W') ? 'waiting' : 'ended',
      from: instantOf(from),
      to: to.trim() === '' ? null : instantOf(to),
    };
  });
}

const page = readFileSync(new URL('../../../docs/clocks.md', import.meta.url), 'utf8');
const [named = [], cases = [], spent = []] = tablesOf(page);
const HOURS = new Map(named.map((row) => [row['Hours'], hoursOf(row)]));

const factsOf = ({ Hours: name, Opened: opened = '', Stood: stood = '' }: Row) => {
  expect(HOURS.has(name)).toBe(true);
  return { start: instantOf(opened), stops: stopsOf(stood), hours: HOURS.get(name) };
};

describe('the clocks of docs/clocks.md', () => {
  it('are sixty cases, numbered', () => {
    const numbers = [...cases, ...spent].map((row) => Number(row['#']));
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });

  it.each(cases.map((row) => [row['#'], row['By hand'], row] as const))(
    'case %s ends when it was worked out to: %s',
    (_number, _why, row) => {
      const { Target: target = '', Ends: ends = '' } = row;
      const expected = ends === 'none' ? undefined : instantOf(ends);
      expect(instantAfter(factsOf(row), minutesOf(target))).toEqual(expected);
    },
  );

  it.each(spent.map((row) => [row['#'], row] as const))(
    'case %s spent its time as it was worked out',
    (_number, row) => {
      const { Until: until = '', Open: open = '', Held: held = '', 'Outside hours': outside = '' } = row;
      expect(spentUntil(factsOf(row), instantOf(until))).toEqual({
        open: minutesOf(open),
        held: minutesOf(held),
        outsideHours: minutesOf(outside),
      });
    },
  );
});

const MINUTE_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

/** A ticket of that year, with stops that follow each other, of which the last one ended. */
const anyFacts = fc
  .record({
    hours: fc.constantFrom(...HOURS.values()),
    start: fc.integer({ min: 0, max: 365 * 24 * 60 }),
    stops: fc.array(
      fc.record({
        reason: fc.constantFrom('waiting' as const, 'ended' as const),
        after: fc.integer({ min: 0, max: 3_000 }),
        minutes: fc.integer({ min: 1, max: 10_000 }),
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ hours, start: opened, stops }) => {
    const start = new Date(START + opened * MINUTE_MS);
    let at = start.getTime();
    return {
      hours,
      start,
      stops: stops.map(({ reason, after, minutes }): Stop => {
        const from = new Date(at + after * MINUTE_MS);
        const to = new Date(from.getTime() + minutes * MINUTE_MS);
        at = to.getTime();
        return { reason, from, to };
      }),
    };
  });

describe('whatever happened to a ticket', () => {
  it('its clocks have counted just the target when it ends, and less before', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 5_000 }), (facts, minutes) => {
        const end = instantAfter(facts, minutes);
        if (end === undefined) throw new Error('it never ends');
        expect(spentUntil(facts, end).open).toBeCloseTo(minutes, 6);
        expect(spentUntil(facts, new Date(end.getTime() - 1)).open).toBeLessThan(minutes);
      }),
      { numRuns: 200 },
    );
  });

  it('its time until then is what it was open, held, ended and outside hours', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1, max: 100_000 }), (facts, minutes) => {
        const until = new Date(facts.start.getTime() + minutes * MINUTE_MS);
        const { open, held, outsideHours } = spentUntil(facts, until);
        const ended = facts.stops
          .filter(({ reason }) => reason === 'ended')
          .map(({ from, to }) => Math.min(to?.getTime() ?? 0, until.getTime()) - from.getTime())
          .reduce((sum, ms) => sum + Math.max(0, ms) / MINUTE_MS, 0);
        for (const part of [open, held, outsideHours]) expect(part).toBeGreaterThanOrEqual(-1e-6);
        expect(open + held + outsideHours + ended).toBeCloseTo(minutes, 6);
      }),
      { numRuns: 200 },
    );
  });
});
