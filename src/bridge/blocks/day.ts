import { instantAt, knownZone } from './zone.ts';

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
