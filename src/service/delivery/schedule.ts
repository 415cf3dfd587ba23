const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds before each attempt, counted from the previous one (docs/api.md, Webhooks). */
export const SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = 0.2;

/**
 * Returns the milliseconds until the attempt after `step` (0 is the first), ±20 %, or null if there is none. A
 * receiver's `Retry-After` may extend that, up to the wait of the following step, but never shorten it.
 */
export function waitAfter(step: number, retryAfterMs: number | null, random: () => number): number | null {
  const wait = SCHEDULE_MS[step + 1];
  if (wait === undefined) return null;
  const spread = wait * (1 - JITTER + 2 * JITTER * random());
  const longest = SCHEDULE_MS[step + 2] ?? wait;
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, longest)));
}
