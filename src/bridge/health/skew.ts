import type { Clock } from '../../platform/clock.ts';

/**
 * Returns the milliseconds that another clock, seen in a response's `Date`, is ahead of ours; undefined without one.
 */
export function skewOf(
  dateHeader: string | null | undefined,
  { askedAt, answeredAt }: { askedAt: Date; answeredAt: Date },
): number | undefined {
  const theirs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(theirs)) return undefined;
  // The header has whole seconds, rounded down: on average half a second is missing.
  const ours = (askedAt.getTime() + answeredAt.getTime()) / 2;
  return theirs + 500 - ours;
}

/** Calls `report` with the skew of each response that has a `Date`. */
export function datedFetch(clock: Clock, tell: (skewMs: number) => void): typeof globalThis.fetch {
  return async (url, init) => {
    const askedAt = clock.now();
    const answer = await globalThis.fetch(url, init);
    const skew = skewOf(answer.headers.get('date'), { askedAt, answeredAt: clock.now() });
    if (skew !== undefined) tell(skew);
    return answer;
  };
}
