import { expect, test } from 'vitest';

import { READERS, SLOW_UNITS, slowUnits, UNITS } from '../harness/foreign-texts.ts';
import { LONG, SEED } from './drill.ts';

const CHARACTERS = LONG ? 32_000 : 16_000;
/**
 * Units per reader besides those that were slow once, of all the signs and pairs of signs; with `--long` all of them.
 */
const TRIED = LONG ? UNITS.length : 3;

test.each(Object.entries(READERS))('%s: twice a long text takes at most twice the time', (name, read) => {
  const from = SEED + name.length;
  const some = Array.from({ length: TRIED }, (_, at) => UNITS[(from + at * 389) % UNITS.length] ?? '');
  const units = [...new Set([...SLOW_UNITS, ...some])];
  expect(slowUnits(read, units, CHARACTERS), `seed ${SEED}`).toEqual([]);
});

test('a reader that searches the rest of the text from each place is found', () => {
  const read = (text: string) => /<[^>]*>/.test(text);
  expect(slowUnits(read, ['<|'], CHARACTERS)).toHaveLength(2);
});
