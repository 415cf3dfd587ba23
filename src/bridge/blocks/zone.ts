/** Local date and time. */
interface WallClock {
  year: number;
  /** 1 for January. */
  month: number;
  day: number;
  hour: number;
  minute: number;
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
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at);
  const read = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0);
  return {
    year: read('year'),
    month: read('month'),
    day: read('day'),
    hour: read('hour'),
    minute: read('minute'),
  };
}

/** Returns the minutes that a zone is ahead of UTC at an instant. */
export function offsetMinutes(at: Date, timeZone: string): number {
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
