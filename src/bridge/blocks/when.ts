import { type ParsedResult, parse } from 'chrono-node/en';

import { instantAt, offsetMinutes, wallClock } from './zone.ts';

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
  const reference = { instant: now, timezone: offsetMinutes(now, timeZone) };
  const [found, ...others] = parse(words, reference, { forwardDate: true });
  if (!found || others.length > 0 || found.end || found.text.length !== words.length)
    return { refused: `I cannot read that as a time. Type for example ${EXAMPLES}.` };
  if (isAmbiguous(found))
    return {
      refused: 'day and month could be meant either way round. Type for example `5 May` or `2027-05-05`.',
    };
  const at = momentOf(found, timeZone, timeOfDay, now);
  if (at <= now) return { refused: `that time is over. Type one ahead, for example ${EXAMPLES}.` };
  if (at.getTime() - now.getTime() > YEARS_AHEAD * YEAR_MS)
    return { refused: `that is more than ${YEARS_AHEAD} years ahead. Type an earlier one.` };
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
