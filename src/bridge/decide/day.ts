const DAY_MS = 86_400_000;

/** The last second of a day (`2026-11-20`) in a time zone; in UTC where it is null or unknown. */
export function lastMomentOf(day: string, timeZone: string | null): Date {
  const asUtc = Date.parse(`${day}T23:59:59Z`);
  // Twice: the zone's offset may be another one at the moment that the first guess names.
  const guess = asUtc - offsetAt(asUtc, timeZone);
  return new Date(asUtc - offsetAt(guess, timeZone));
}

/** Whether a day is over wherever on earth it was meant. */
export function isOver(day: string, now: Date): boolean {
  return Date.parse(`${day}T23:59:59Z`) + DAY_MS / 2 < now.getTime();
}

/** Milliseconds by which the clocks of a zone are before UTC. */
function offsetAt(at: number, timeZone: string | null): number {
  if (timeZone === null) return 0;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(at);
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return shown - Math.floor(at / 1000) * 1000;
  } catch {
    return 0;
  }
}
