import { LRUCache } from 'lru-cache';

import type { Clock } from '../../platform/clock.ts';

const WINDOW_SECONDS = 60;
/** Maximum number of buckets; the least recently used one is evicted, and starts full when it comes back. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  /** Milliseconds. */
  at: number;
}

export interface Allowance {
  allowed: boolean;
  /** For every response; `retry-after` only if the request was rejected. */
  headers: Record<string, string>;
}

export interface RateLimit {
  /** Takes one request of `limit` per minute from the caller. */
  take(who: string, limit: number): Allowance;
}

/**
 * Creates a token bucket per caller: `limit` requests at once, refilled evenly over a minute. Counted per process;
 * several replicas allow as much each.
 */
export function createRateLimit(clock: Clock): RateLimit {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  return {
    take(who, limit) {
      const now = clock.now().getTime();
      const perMs = limit / (WINDOW_SECONDS * 1000);
      const known = buckets.get(who) ?? { tokens: limit, at: now };
      // A clock that was set back must not take tokens away.
      const tokens = Math.min(limit, known.tokens + Math.max(0, now - known.at) * perMs);
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      buckets.set(who, { tokens: left, at: now });
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
