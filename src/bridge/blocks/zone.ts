/** What a clock on the wall shows. */
export interface WallClock {
  year: number;
  /** 1 for January. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const MINUTE_MS = 60_000;

/** The zone itself, or UTC where nobody knows a zone of this name. */
export function knownZone(name: string | null | undefined): string {
  try {
    return name ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone : 'UTC';
  } catch {
    return 'UTC';
  }
}

/** A moment as the clocks of a zone show it: "Mon 23 Nov 2026, 09:00". */
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

/** What the clocks of a zone show at a moment. Throws RangeError for a zone that nobody knows. */
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

/** Minutes that a zone's clocks are ahead of UTC at a moment. */
export function offsetMinutes(at: Date, timeZone: string): number {
  const shown = asUtc(wallClock(at, timeZone));
  return Math.round((shown - at.getTime()) / MINUTE_MS);
}

/** The moment at which a zone's clocks show this; of an hour that they leave out, the one after it. */
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
