import { readerLocale } from '../kit/locale.ts';

export type Unit = 'count' | 'seconds' | 'score' | 'percent';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE];
const LONGER_STEPS = [HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY];

const COUNT = new Intl.NumberFormat('en');
const SCORE = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Formats a value: `1,204`, `4.2`, `87%`, `2h 5m`; a dash if there is none. */
export function inWords(unit: Unit, value: number | null): string {
  if (value === null) return '–';
  if (unit === 'count') return COUNT.format(value);
  if (unit === 'percent') return `${percent(value)}%`;
  return unit === 'score' ? SCORE.format(value) : duration(value);
}

/** Rounds to whole percents, but does not round up to 100%. */
const percent = (value: number) => (value > 99 ? Math.floor(value * 10) / 10 : Math.round(value));

/** Formats a duration by its two largest units; for days, seconds do not matter. */
function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole}s`;
  // Rounds to what is shown, so that a sixtieth minute never appears.
  const minutes = Math.round(whole / MINUTE);
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 48 * 60) return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.round(whole / HOUR);
  return parts(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const parts = (large: number, of: string, small: number, ofSmall: string) =>
  `${large}${of}${small ? ` ${small}${ofSmall}` : ''}`;

/** The tick values of an axis that starts at 0: round values of the unit, up to at least `highest`. */
export function ticksOf(unit: Unit, highest: number): number[] {
  if (unit === 'score') return [0, 1, 2, 3, 4, 5];
  if (unit === 'percent') return [0, 25, 50, 75, 100];
  const least = unit === 'count' ? 1 : 0;
  const step = Math.max(least, unit === 'seconds' ? stepOfTime(highest / 4) : round(highest / 4));
  const lines = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: lines + 1 }, (_, line) => line * step);
}

function stepOfTime(least: number): number {
  return [...STEPS, ...LONGER_STEPS].find((step) => step >= least) ?? round(least / DAY) * DAY;
}

/** The next of 1, 2, 5, 10, 20, 50… */
function round(least: number): number {
  if (least <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((each) => each * power >= least) ?? 10);
}

const LOCALE = readerLocale(navigator.languages);
const axis = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, options);
const DATES = {
  hour: [
    axis({ hour: 'numeric' }),
    axis({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }),
  ],
  day: [
    axis({ day: 'numeric', month: 'short' }),
    axis({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
  ],
  week: [axis({ day: 'numeric', month: 'short' }), axis({ dateStyle: 'medium' })],
  month: [axis({ month: 'short' }), axis({ month: 'long', year: 'numeric' })],
  year: [axis({ year: 'numeric' }), axis({ year: 'numeric' })],
} as const;

export const INTERVALS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** An interval by its start: short for the axis, full for the table. */
export function intervalName(per: Interval, at: string): { short: string; long: string } {
  const date = new Date(at);
  if (per === 'quarter') {
    const name = `Q${Math.floor(date.getMonth() / 3) + 1} ${date.getFullYear()}`;
    return { short: name, long: name };
  }
  const [short, long] = DATES[per];
  return { short: short.format(date), long: long.format(date) };
}
