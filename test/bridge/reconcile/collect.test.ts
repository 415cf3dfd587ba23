import { expect, test } from 'vitest';

import { AT_ONCE, collect } from '../../../src/bridge/reconcile/scan.ts';

const at = (second: number) => new Date(second * 1_000).toISOString();
const span = { from: at(0), cursor: at(120), until: at(1_000) };

async function* changedAt(seconds: readonly number[]) {
  for (const second of seconds) yield { updatedAt: at(second) };
}

test.each([
  ['all of them, if they are few', [1, 2, 200], { count: 3, more: false }],
  ['not what is too recent', [1, 1_001], { count: 1, more: false }],
  [
    'so many at once, and the next time from there on',
    Array.from({ length: AT_ONCE + 5 }, () => 121),
    { count: AT_ONCE, more: true },
  ],
  [
    'more, if these end before the cursor, or it would never move on',
    [...Array.from({ length: AT_ONCE + 5 }, () => 60), 121, 122],
    { count: AT_ONCE + 6, more: true },
  ],
])('a comparison reads %s', async (_, seconds, expected) => {
  const collected = await collect(changedAt(seconds), span);
  const { records, more } = collected === 'unfiltered' ? { records: [], more: false } : collected;
  expect({ count: records.length, more }).toEqual(expected);
});

test('a service that ignores the filter is told by a record from before', async () => {
  expect(await collect(changedAt([-1]), span)).toBe('unfiltered');
});
