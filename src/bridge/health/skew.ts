import type { Clock } from '../../platform/clock.ts';

/** Milliseconds by which another clock, seen in its answer's `Date`, is ahead of ours; undefined where it sent none. */
export function skewOf(
  dateHeader: string | null | undefined,
  { askedAt, answeredAt }: { askedAt: Date; answeredAt: Date },
): number | undefined {
  const theirs = Date.parse(dateHeader ?? '');
  if (Number.isNaN(theirs)) return undefined;
  // The header has whole seconds, cut off: on average half a second is missing.
  const ours = (askedAt.getTime() + answeredAt.getTime()) / 2;
  return theirs + 500 - ours;
}

/** Calls `tell` with the skew of each answer that has a `Date`. */
export function datedFetch(clock: Clock, tell: (skewMs: number) => void): typeof globalThis.fetch {
  return async (url, init) => {
    const askedAt = clock.now();
    const answer = await globalThis.fetch(url, init);
    const skew = skewOf(answer.headers.get('date'), { askedAt, answeredAt: clock.now() });
    if (skew !== undefined) tell(skew);
    return answer;
  };
}
