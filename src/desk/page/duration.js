const MINUTES = { min: 1, h: 60, d: 24 * 60 };
/** The contract's maximum: a year. */
const MOST = 366 * 24 * 60;
const SPAN = /^(\d+(?:[.,]\d+)?)\s*(min|minutes?|m|h|hours?|d|days?)$/i;

/**
 * Parses `15 min`, `4 h` or `2 days` into whole minutes; null for an empty text, undefined for an invalid
 * one.
 */
export function minutesOf(text) {
  if (text.trim() === '') return null;
  const [, number, unit] = SPAN.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  const [letter] = unit.toLowerCase();
  const minutes = Math.round(Number(number.replace(',', '.')) * MINUTES[letter === 'm' ? 'min' : letter]);
  return minutes >= 1 && minutes <= MOST ? minutes : undefined;
}

/** Formats minutes in the largest unit that gives a whole number. */
export function spanOf(minutes) {
  if (minutes === null || minutes === undefined) return '';
  const unit = ['d', 'h'].find((each) => minutes % MINUTES[each] === 0) ?? 'min';
  return `${minutes / MINUTES[unit]} ${unit}`;
}
