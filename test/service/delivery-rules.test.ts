import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { SCHEDULE_MS, waitAfter } from '../../src/service/delivery/schedule.ts';
import { isToDisable, attemptResult } from '../../src/service/delivery/result.ts';

const now = new Date('2026-11-20T09:30:00.000Z');
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry schedule', () => {
  it('is the documented one', () => {
    expect(SCHEDULE_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  it('P1 varies by at most 20 %, ends after the last step, and follows Retry-After up to the step after the next', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1_000_000 }),
        fc.option(fc.nat({ max: 1e9 })),
        random,
        (step, retryAfter, chance) => {
          const wait = waitAfter(step, retryAfter, () => chance);
          const planned = SCHEDULE_MS[step + 1];
          if (planned === undefined) {
            expect(wait).toBeNull();
            return;
          }
          const longest = Math.max(planned * 1.2, SCHEDULE_MS[step + 2] ?? planned);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(planned * 0.8));
          expect(wait).toBeLessThanOrEqual(Math.ceil(longest));
          if (retryAfter !== null)
            expect(wait).toBeGreaterThanOrEqual(Math.min(retryAfter, SCHEDULE_MS[step + 2] ?? planned));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('results of attempts', () => {
  it('2xx is success, 410 the end, everything else a failure', () => {
    const of = (status: number) =>
      attemptResult({ kind: 'answered', status, retryAfter: null, body: Buffer.alloc(0) }).kind;
    expect([200, 204, 299].map(of)).toEqual(['delivered', 'delivered', 'delivered']);
    expect([301, 304, 400, 404, 429, 500, 503].map(of)).toEqual(Array.from({ length: 7 }, () => 'failed'));
    expect(of(410)).toBe('gone');
    expect(attemptResult({ kind: 'refused', reason: 'x' }).kind).toBe('failed');
  });

  it('a webhook is disabled after both ten failed events and five days, not after one of them', () => {
    const day = 24 * 60 * 60 * 1000;
    const since = (days: number) => new Date(now.getTime() - days * day);
    expect(isToDisable({ failingSince: since(5), failedEvents: 10 }, now)).toBe(true);
    expect(isToDisable({ failingSince: since(5), failedEvents: 9 }, now)).toBe(false);
    expect(isToDisable({ failingSince: new Date(since(5).getTime() + 1), failedEvents: 10 }, now)).toBe(
      false,
    );
    expect(isToDisable({ failingSince: null, failedEvents: 10 }, now)).toBe(false);
  });
});
