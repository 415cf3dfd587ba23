import { expect, test } from 'vitest';

import { BoundedMap } from '../../src/platform/bounded-map.ts';

test('a full cache forgets the entry that was set longest ago, and no other', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, index);
  expect([...map]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
});
