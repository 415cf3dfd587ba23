import { type ParsedResult, parse } from 'chrono-node/en';

interface WallClock {
  year: number;
  /** 1 for January. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const UNITS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
  ['month', 2_592_000],
  ['year', 31_536_000],
] as const;
const UP_TO_DAYS = UNITS.slice(0, 3);

const countOfUnit = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** Returns "3 hours": seconds in the largest unit that fits, up to days, rounded. */
export function durationOf(seconds: number): string {
  const [unit, size] = UP_TO_DAYS.findLast(([, one]) => seconds >= one) ?? UNITS[0];
  return countOfUnit(Math.max(1, Math.round(seconds / size)), unit);
}

/** Returns "3 days ago": the largest unit that fits. */
export function ageOf(then: Date, now: Date): string {
  const seconds = (now.getTime() - then.getTime()) / 1000;
  const fits = UNITS.findLast(([, size]) => seconds >= size);
  return fits ? `${countOfUnit(Math.floor(seconds / fits[1]), fits[0])} ago` : 'just now';
}

const MINUTE_MS = 60_000;

/** Returns the zone itself, or UTC for an unknown name. */
export function knownZone(name: string | null | undefined): string {
  try {
    return name ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone : 'UTC';
  } catch {
    return 'UTC';
  }
}

/** Returns an instant in local time: "Mon 23 Nov 2026, 09:00". */
export function shownAt(at: Date, timeZone: string): string {
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  return shown.format(at).replace(',', '');
}

/** Returns an instant's local date and time. Throws RangeError for an unknown zone. */
export function wallClock(at: Date, timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = format.formatToParts(at).map(({ type, value }) => [type, Number(value)] as const);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = Object.fromEntries(parts);
  return { year, month, day, hour, minute };
}

/** Returns the minutes that a zone is ahead of UTC at an instant. */
function offsetMinutes(at: Date, timeZone: string): number {
  const shown = asUtc(wallClock(at, timeZone));
  return Math.round((shown - at.getTime()) / MINUTE_MS);
}

/** Returns the instant of a local time; for a skipped hour, the one after it. */
export function instantAt(wall: WallClock, timeZone: string): Date {
  const shown = asUtc(wall);
  const before = shown - offsetMinutes(new Date(shown - 86_400_000), timeZone) * MINUTE_MS;
  const after = shown - offsetMinutes(new Date(shown + 86_400_000), timeZone) * MINUTE_MS;
  const [first, second] = [Math.min(before, after), Math.max(before, after)];
  const isRight = (at: number) => at + offsetMinutes(new Date(at), timeZone) * MINUTE_MS === shown;
  return new Date(isRight(first) ? first : second);
}

function asUtc({ year, month, day, hour, minute }: WallClock): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

const DAY_MS = 86_400_000;

/** Returns the last second of a day (`2026-11-20`) in a time zone; in UTC if it is null or unknown. */
export function lastMomentOf(day: string, timeZone: string | null): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const lastMinute = instantAt({ year, month, day: date, hour: 23, minute: 59 }, knownZone(timeZone));
  return new Date(lastMinute.getTime() + 59_000);
}

/** Returns whether a day is over in every time zone. */
export function isOver(day: string, now: Date): boolean {
  return Date.parse(`${day}T23:59:59Z`) + DAY_MS / 2 < now.getTime();
}

/** The parsed date, or the error as the end of a sentence (B36). */
type When = { at: Date } | { refused: string };

interface WhenOptions {
  now: Date;
  /** The user's time zone, as IANA name. */
  timeZone: string;
  /** The time for a day without one, "HH:MM" in that zone. */
  timeOfDay: string;
}

const EXAMPLES = '`tomorrow 9am`, `in 2 days`, `monday`, `5 May 14:00` or `2027-05-05`';
/** A longer text is not a time. */
const WHEN_CHARACTERS = 200;
const YEARS_AHEAD = 5;
const YEAR_MS = 366 * 86_400_000;

/**
 * Parses a date as users type it: "tomorrow 9am", "in 2 days", "monday", in their time zone (B33). Always in the
 * future; a weekday or time that has passed today is the next one. Partly unreadable text, or a date that is ambiguous
 * between countries, is rejected: a wrong guess would be noticed too late.
 */
export function parseWhen(typed: string, { now, timeZone, timeOfDay }: WhenOptions): When {
  const words = typed
    .trim()
    .replace(/^(?:until|till|by|on|at)\s+/i, '')
    .replace(/[.!]$/, '');
  if (words.length > WHEN_CHARACTERS)
    return { refused: `I don’t understand that time. Type for example ${EXAMPLES}.` };
  const reference = { instant: now, timezone: offsetMinutes(now, timeZone) };
  const [found, ...others] = parse(words, reference, { forwardDate: true });
  if (!found || others.length > 0 || found.end || found.text.length !== words.length)
    return { refused: `I don’t understand that time. Type for example ${EXAMPLES}.` };
  if (isAmbiguous(found))
    return { refused: 'day and month are ambiguous. Type for example `5 May` or `2027-05-05`.' };
  const at = momentOf(found, timeZone, timeOfDay, now);
  if (at <= now) return { refused: `that time is in the past. Type a later one, for example ${EXAMPLES}.` };
  if (at.getTime() - now.getTime() > YEARS_AHEAD * YEAR_MS)
    return { refused: `that is more than ${YEARS_AHEAD} years in the future. Type an earlier one.` };
  return { at };
}

function momentOf({ start }: ParsedResult, timeZone: string, timeOfDay: string, now: Date): Date {
  // "In 2 hours", or with an explicit zone: that instant, whatever the local time.
  if (start.isCertain('timezoneOffset')) return start.date();
  const [hour = 9, minute = 0] = saysTime(start)
    ? [start.get('hour') ?? undefined, start.get('minute') ?? undefined]
    : timeOfDay.split(':').map(Number);
  const day = {
    year: start.get('year') ?? wallClock(now, timeZone).year,
    month: start.get('month') ?? 1,
    day: start.get('day') ?? 1,
  };
  return instantAt({ ...day, hour, minute }, timeZone);
}

const DAY_TIMES = ['noon', 'midnight', 'morning', 'afternoon', 'evening', 'tonight'];

/** Returns whether it contains a time of day, in figures or as a word. */
function saysTime(start: ParsedResult['start']): boolean {
  const tags = start.tags();
  return start.isCertain('hour') || DAY_TIMES.some((word) => tags.has(`casualReference/${word}`));
}

/** "04/05" is in April or in May, depending on the country. */
function isAmbiguous({ start }: ParsedResult): boolean {
  const day = start.get('day') ?? 0;
  return start.tags().has('parser/SlashDateFormatParser') && day <= 12 && day !== start.get('month');
}
