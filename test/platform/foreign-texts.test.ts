import { expect, test } from 'vitest';

import { hostile, QUICK_UNITS, READERS } from '../harness/foreign-texts.ts';
import { growth } from '../harness/growth.ts';

/** Enough for a slow pattern to show, and for a quick one to take next to no time; the drill tries longer ones. */
const CHARACTERS = 4_000;

test.each(Object.entries(READERS))('%s: twice the text takes at most twice the time', (_, read) => {
  const slow = QUICK_UNITS.flatMap((unit) => {
    const [quarters, wholes] = [hostile(unit, CHARACTERS / 4), hostile(unit, CHARACTERS)];
    return wholes.flatMap((whole, at) => {
      const times = growth(read, quarters[at] ?? '', whole);
      return times === undefined ? [] : [{ unit, ends: at === 1, times: times.toFixed(1) }];
    });
  });
  expect(slow).toEqual([]);
});
