/** When a team works: spans of wall-clock time in a zone. */
export interface Hours {
  /** An IANA name. */
  timeZone: string;
  /** Day 1 is Monday, 7 is Sunday; times of day from 00:00 to 24:00. */
  days: readonly { day: number; from: string; to: string }[];
  /** Dates (2026-12-25) without working time. */
  holidays: readonly { date: string }[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A span that is looked for longer does not end a target: of hours of a minute a week, say. */
const DAYS_AHEAD = 10 * 366;

/**
 * Returns the first instant at which `minutes` of working time have passed since `from`. It is never outside the hours,
 * except at the end of a span. Undefined if that takes more than ten years.
 * @param hours undefined: around the clock.
 */
export function addWorkingTime(hours: Hours | undefined, from: Date, minutes: number): Date | undefined {
  let left = Math.round(minutes * MINUTE_MS);
  if (hours === undefined) return new Date(from.getTime() + left);
  for (const [start, end] of spansFrom(hours, from)) {
    if (left <= end - start) return new Date(start + left);
    left -= end - start;
  }
  return undefined;
}

/** Returns the working time between two instants, in minutes. */
export function workingMinutes(hours: Hours | undefined, from: Date, to: Date): number {
  if (hours === undefined) return Math.max(0, to.getTime() - from.getTime()) / MINUTE_MS;
  const sum = spansBetween(hours, from, to).reduce((ms, [start, end]) => ms + end - start, 0);
  return sum / MINUTE_MS;
}

/**
 * Returns the latest instant from which `minutes` of working time have passed at `to`. Undefined if there is none
 * within ten years.
 * @param hours undefined: around the clock.
 */
export function workingTimeBefore(hours: Hours | undefined, to: Date, minutes: number): Date | undefined {
  const wanted = Math.round(minutes * MINUTE_MS);
  if (hours === undefined) return new Date(to.getTime() - wanted);
  for (let back = Math.max(wanted, DAY_MS); back <= DAYS_AHEAD * DAY_MS; back *= 2) {
    let left = wanted;
    for (const [start, end] of spansBetween(hours, new Date(to.getTime() - back), to).toReversed()) {
      if (left <= end - start) return new Date(end - left);
      left -= end - start;
    }
  }
  return undefined;
}

/**
 * Returns the first instant after another at which a clock on the wall shows a time of day, on one of some days of the
 * week (1 is Monday, 7 is Sunday; at least one). Of a time that comes twice on a day it is the first; of one that a
 * change of the clock leaves out it is the change: so it comes once on each of the days.
 */
export function nextTime(
  { timeZone, days, time }: { timeZone: string; days: readonly number[]; time: string },
  after: Date,
): Date {
  const zone = zoneOf(timeZone);
  for (let date = dayOf(zone, after.getTime()); ; date += DAY_MS) {
    if (!days.includes(new Date(date).getUTCDay() || 7)) continue;
    const at = instantsOf(zone, date)(timeOf(time));
    if (at > after.getTime()) return new Date(at);
  }
}

/** Returns the spans of working time between two instants in their order, as milliseconds. */
function spansBetween(hours: Hours, from: Date, to: Date): (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  for (const [start, end] of spansFrom(hours, from)) {
    if (start >= to.getTime()) break;
    spans.push([start, Math.min(end, to.getTime())]);
  }
  return spans;
}

/** Yields the spans of working time after an instant in their order, as milliseconds; the first may have begun. */
function* spansFrom({ timeZone, days, holidays }: Hours, from: Date): Generator<readonly [number, number]> {
  if (days.length === 0) return;
  const zone = zoneOf(timeZone);
  const off = new Set(holidays.map(({ date }) => Date.parse(date)));
  const spans = days.map(({ day, from: start, to }) => ({ day, start: timeOf(start), end: timeOf(to) }));
  spans.sort((a, b) => a.start - b.start);
  const first = dayOf(zone, from.getTime());
  for (let date = first; date < first + DAYS_AHEAD * DAY_MS; date += DAY_MS) {
    if (off.has(date)) continue;
    // Sunday is 7 in the contract, 0 here.
    const weekday = new Date(date).getUTCDay() || 7;
    const ofDay = spans.filter(({ day }) => day === weekday);
    if (ofDay.length === 0) continue;
    const instantAt = instantsOf(zone, date);
    for (const { start, end } of ofDay) {
      const begins = Math.max(instantAt(start), from.getTime());
      const ends = instantAt(end);
      if (begins < ends) yield [begins, ends];
    }
  }
}

/** Returns a time of day (09:30) in milliseconds. */
export function timeOf(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return (hour * 60 + minute) * MINUTE_MS;
}

// What a clock on the wall shows is a number too: the instant at which a clock in UTC shows the same.

/** How far the wall clock of a zone is ahead of UTC at an instant, in milliseconds. */
type Zone = (instant: number) => number;

const zones = new Map<string, Zone>();

/** Making a formatter takes a hundred times longer than using it. There are some hundred zones, so all are kept. */
function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const zone: Zone = (instant) => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    const wall = Date.UTC(year, month - 1, day, hour, minute, second);
    return wall - Math.floor(instant / 1000) * 1000;
  };
  zones.set(timeZone, zone);
  return zone;
}

/** Returns the start of an instant's day, on the wall clock. */
function dayOf(zone: Zone, instant: number): number {
  return Math.floor((instant + zone(instant)) / DAY_MS) * DAY_MS;
}

/**
 * The wall clock of a zone differs from UTC by at most 14 hours; with a day more, any change of the clock is between.
 */
const MARGIN_MS = 36 * 60 * MINUTE_MS;

/**
 * Returns a function of a time of a day (on the wall clock): the first instant at which the wall clock shows that time
 * or later. Of a time that comes twice it is the first, of one that a change of the clock leaves out the change. So
 * spans that touch on the wall clock touch in time, too.
 */
function instantsOf(zone: Zone, day: number): (time: number) => number {
  const before = zone(day - MARGIN_MS);
  const after = zone(day + DAY_MS + MARGIN_MS);
  return (time) => {
    const wall = day + time;
    if (before === after || zone(wall - before) === before) return wall - before;
    if (zone(wall - after) === after) return wall - after;
    let [early, late] = [wall - after, wall - before];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (zone(middle) === before) early = middle;
      else late = middle;
    }
    return late;
  };
}
