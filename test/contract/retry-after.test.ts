import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { retryAfterMs } from '../../src/contract/index.ts';

const now = new Date('2026-11-20T09:00:00.000Z');

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    ['1.5', 1_500],
    ['Fri, 20 Nov 2026 09:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 08:00:00 GMT', 0],
    ['9999999999', 9_999_999_999_000],
    ['99999999999', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  test('P1 no header gives a negative or infinite time', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom('-1', '1e9', '0x10', 'Fri, 99 Nov 2026'),
          fc.string(),
          fc.double().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const ms = retryAfterMs(header, now);
          if (ms !== undefined) {
            expect(ms).toBeGreaterThanOrEqual(0);
            expect(Number.isFinite(ms)).toBe(true);
          }
        },
      ),
    );
  });
});
