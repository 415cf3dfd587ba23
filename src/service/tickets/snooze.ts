import { unprocessable } from '../problem.ts';
import { type Ends, isRunning } from './due-times.ts';

/**
 * Throws 422 for a snooze ahead of a ticket that has ended, or ends with this write: the end of a ticket ends its
 * snooze, so nobody would be reminded.
 */
export function refuseSnoozeOfEnded(
  ticket: Ends,
  { snoozeUntil }: { snoozeUntil?: string | null | undefined },
  { now, path }: { now: Date; path: string },
): void {
  if (snoozeUntil && new Date(snoozeUntil) > now && !isRunning(ticket))
    throw unprocessable(
      path,
      'A ticket that is done, closed or archived cannot be snoozed. Reopen it first.',
    );
}
