import { expect, test } from 'vitest';

import { QUICK_UNITS, READERS, slowUnits } from '../harness/foreign-texts.ts';

/** Enough for a slow pattern to show, and for a quick one to take next to no time; the drill tries longer ones. */
const CHARACTERS = 4_000;

test.each(Object.entries(READERS))('%s: twice the text takes at most twice the time', (_, read) => {
  expect(slowUnits(read, QUICK_UNITS, CHARACTERS)).toEqual([]);
});
