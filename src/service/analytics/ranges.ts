import { type RawBuilder, sql } from 'kysely';

import { malformed } from '../problem.ts';

/** An instant or a whole day, as a half-open range. */
export interface InstantRange {
  start: RawBuilder<Date>;
  end: RawBuilder<Date>;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const FIRST = Date.parse('0001-01-02T00:00:00Z');
const LAST = Date.parse('9999-12-30T00:00:00Z');

/**
 * Parses a point in time of a query: an ISO 8601 instant with an offset, or a day (`2026-03-29`) in the query's time
 * zone.
 */
export function toRange(text: string, timeZone: string, path: string): InstantRange {
  const time = DAY.test(text) || INSTANT.test(text) ? Date.parse(text) : NaN;
  const isDay = DAY.test(text);
  // The JavaScript engine reads 30 February as 2 March; Postgres rejects it.
  const isThere = !isDay || (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text));
  if (Number.isNaN(time) || !isThere || time < FIRST || time > LAST)
    throw malformed([
      { path, message: 'Expected an ISO 8601 instant with an offset, or a day like 2026-03-29' },
    ]);
  if (!isDay) {
    const at = new Date(time);
    return { start: sql<Date>`${at}::timestamptz`, end: sql<Date>`${new Date(time + 1)}::timestamptz` };
  }
  return {
    start: sql<Date>`(${text}::date::timestamp at time zone ${timeZone})`,
    end: sql<Date>`((${text}::date + 1)::timestamp at time zone ${timeZone})`,
  };
}

/** Returns a condition that an instant lies within a range of the query, whose bounds are optional. */
export function isInRange(
  column: RawBuilder<unknown>,
  range: { from?: string | null | undefined; to?: string | null | undefined } | null | undefined,
  timeZone: string,
): RawBuilder<boolean> {
  const from = range?.from
    ? sql`${column} >= ${toRange(range.from, timeZone, 'dateRange.from').start}`
    : sql`true`;
  const to = range?.to ? sql`${column} < ${toRange(range.to, timeZone, 'dateRange.to').end}` : sql`true`;
  return sql<boolean>`(${from} and ${to})`;
}
