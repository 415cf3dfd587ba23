import { type RawBuilder, sql } from 'kysely';

import type { Period } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { malformed } from '../problem.ts';

interface Calendar {
  period: Period;
  timeZone: string;
}

/** Maximum number of intervals in a response: more than a year of hours. */
export const MAX_BUCKETS = 10_000;
const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Period, number> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 28 * 24 * HOUR_MS,
  quarter: 90 * 24 * HOUR_MS,
  year: 365 * 24 * HOUR_MS,
};
const STEP: Record<Period, string> = {
  hour: '30 minutes',
  day: '1 day',
  week: '1 week',
  month: '1 month',
  quarter: '3 months',
  year: '1 year',
};

/**
 * Returns the start of an instant's interval. Days and longer intervals start by local time, however many hours they
 * have. Hours are cut in absolute time, so the repeated hour in autumn counts as two.
 */
export function bucketOf(column: RawBuilder<Date>, { period, timeZone }: Calendar): RawBuilder<Date> {
  return period === 'hour'
    ? sql<Date>`date_trunc('hour', ${column}, ${timeZone})`
    : sql<Date>`(date_trunc(${period}, ${column} at time zone ${timeZone}) at time zone ${timeZone})`;
}

/** Returns the starts of all intervals between two instants, including those of both; 400 if there are too many. */
export async function bucketsBetween(
  db: ServiceDb,
  from: Date,
  to: Date,
  calendar: Calendar,
): Promise<Date[]> {
  const { period, timeZone } = calendar;
  if ((to.getTime() - from.getTime()) / LENGTH_MS[period] > MAX_BUCKETS)
    throw malformed([
      {
        path: 'dateRange',
        message: `More than ${MAX_BUCKETS} intervals; take a longer one, or a shorter range`,
      },
    ]);
  // In half-hour steps, because some zones shift their clocks by half an hour; duplicates are merged. Clocks skip
  // hours, and once skipped a whole day, so two local times may be one instant.
  const starts =
    period === 'hour'
      ? sql`select date_trunc('hour', s, ${timeZone}) as start
          from generate_series(${from}::timestamptz, ${to}::timestamptz, ${STEP[period]}::interval) s
          union select date_trunc('hour', ${to}::timestamptz, ${timeZone}) where ${from}::timestamptz <= ${to}::timestamptz`
      : sql`select s at time zone ${timeZone} as start
          from generate_series(date_trunc(${period}, ${from}::timestamptz at time zone ${timeZone}),
            ${to}::timestamptz at time zone ${timeZone}, ${STEP[period]}::interval) s`;
  const { rows } = await sql<{
    start: Date;
  }>`select distinct start from (${starts}) x order by start`.execute(db);
  return rows.map(({ start }) => start);
}
