import { readNumber } from '../../kit/number.ts';

const MINUTES: Record<string, number> = { m: 1, h: 60, d: 24 * 60 };
/** The contract's maximum: a year. */
const MOST = 366 * 24 * 60;
const SPAN = /^(\d[\d.,\s’']*?)\s*(min|minutes?|m|h|hours?|d|days?)$/i;

/** Parses `15m`, `4 h` or `2 days` into whole minutes; null for an empty text, undefined for an invalid one. */
export function minutesOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const [, number, unit] = SPAN.exec(text.trim()) ?? [];
  const count = readNumber(number ?? '');
  if (count === undefined || unit === undefined) return undefined;
  const minutes = Math.round(count * (MINUTES[unit.charAt(0).toLowerCase()] ?? 1));
  return minutes >= 1 && minutes <= MOST ? minutes : undefined;
}

/** Formats minutes in the largest unit that gives a whole number. */
export function spanOf(minutes: number | null | undefined): string {
  if (minutes === null || minutes === undefined) return '';
  if (minutes % (24 * 60) === 0) return `${minutes / (24 * 60)}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
