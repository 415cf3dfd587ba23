import { addWorkingTime, type Hours, workingMinutes } from '../../platform/working-time.ts';

/** A span in which a ticket's clocks stand, as it was recorded. */
export interface Stop {
  /** It waits for its requester, or it has ended: Done, Closed or archived. */
  reason: 'waiting' | 'ended';
  from: Date;
  /** Null: they stand still. */
  to: Date | null;
}

/** The facts from which a ticket's clocks are computed. */
export interface ClockFacts {
  /** Since when they run: the opening of the ticket. */
  start: Date;
  /** In order, without overlaps. Only the last one may have no end. */
  stops: readonly Stop[];
  /** The time that counts; undefined: around the clock. All of a ticket's time counts by the present hours. */
  hours: Hours | undefined;
}

/**
 * Returns the first instant at which a ticket's clocks have counted so many minutes of business time. Undefined while
 * they stand, and if that takes more than ten years.
 */
export function instantAfter({ start, stops, hours }: ClockFacts, minutes: number): Date | undefined {
  if (stops.at(-1)?.to === null) return undefined;
  let from = start;
  let left = minutes;
  for (const stop of stops) {
    const at = addWorkingTime(hours, from, left);
    if (at !== undefined && at <= stop.from) return at;
    left -= workingMinutes(hours, from, stop.from);
    from = stop.to ?? stop.from;
  }
  return addWorkingTime(hours, from, left);
}

/** How a ticket's time from its opening to an instant was spent, in minutes. */
export interface SpentTime {
  /** Business time that counted. */
  open: number;
  /** Business time in which it waited for its requester. */
  held: number;
  /** The rest, but what passed after it had ended. */
  outsideHours: number;
}

const MINUTE_MS = 60_000;

/** Returns how a ticket's time was spent until an instant. */
export function spentUntil({ start, stops, hours }: ClockFacts, until: Date): SpentTime {
  const business = (from: Date, to: Date) => workingMinutes(hours, from, to);
  const all = (from: Date, to: Date) => Math.max(0, to.getTime() - from.getTime()) / MINUTE_MS;
  const past = stops
    .filter(({ from }) => from < until)
    .map(({ reason, from, to }) => ({ reason, from, to: to !== null && to < until ? to : until }));
  const sum = (reason: Stop['reason'], minutes: (from: Date, to: Date) => number) =>
    past.reduce((total, stop) => total + (stop.reason === reason ? minutes(stop.from, stop.to) : 0), 0);
  const held = sum('waiting', business);
  const open = business(start, until) - held - sum('ended', business);
  const outsideHours = all(start, until) - sum('ended', all) - open - held;
  return { open: wholeMs(open), held: wholeMs(held), outsideHours: wholeMs(outsideHours) };
}

/** A sum of parts of minutes is exact again in whole milliseconds: what ends with its target is not late. */
function wholeMs(minutes: number): number {
  return Math.max(0, Math.round(minutes * MINUTE_MS)) / MINUTE_MS;
}
