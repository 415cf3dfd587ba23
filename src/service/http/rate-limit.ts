import type { Clock } from '../../platform/clock.ts';

const WINDOW_SECONDS = 60;
/** Buckets kept at most; the one not used for longest goes first, and starts full when it comes back. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  /** Milliseconds. */
  at: number;
}

export interface Allowance {
  allowed: boolean;
  /** For every answer; `retry-after` only where the request was refused. */
  headers: Record<string, string>;
}

export interface RateLimit {
  /** Takes one request of `limit` a minute from whoever `who` is. */
  take(who: string, limit: number): Allowance;
}

/**
 * A token bucket per caller: `limit` requests at once, refilled evenly over a minute. Counted in this process; several
 * replicas admit as much each.
 */
export function createRateLimit(clock: Clock): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(who, limit) {
      const now = clock.now().getTime();
      const perMs = limit / (WINDOW_SECONDS * 1000);
      const known = buckets.get(who) ?? { tokens: limit, at: now };
      // A clock that was set back must not take tokens away.
      const tokens = Math.min(limit, known.tokens + Math.max(0, now - known.at) * perMs);
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      // Deleted and set again, it is the newest of the map, whose oldest goes when there are too many.
      buckets.delete(who);
      buckets.set(who, { tokens: left, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest);
      const untilFull = Math.ceil((limit - left) / perMs / 1000);
      const untilNext = Math.max(1, Math.ceil((1 - left) / perMs / 1000));
      return {
        allowed,
        headers: {
          'ratelimit-policy': `"default";q=${limit};w=${WINDOW_SECONDS}`,
          ratelimit: `"default";r=${Math.floor(left)};t=${allowed ? untilFull : untilNext}`,
          ...(!allowed && { 'retry-after': String(untilNext) }),
        },
      };
    },
  };
}
