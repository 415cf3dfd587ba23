import { expect, test } from 'vitest';

import { hostile, READERS, UNITS } from '../harness/foreign-texts.ts';
import { growth } from '../harness/growth.ts';
import { LONG, SEED } from './drill.ts';

const CHARACTERS = 16_000;
/** Units per reader, of all the signs and pairs of signs; with `--long` all of them. */
const TRIED = LONG ? UNITS.length : 20;

test.each(Object.entries(READERS))(
  '%s: twice a long text takes at most twice the time',
  (name, read) => {
    const from = SEED + name.length;
    const units = Array.from({ length: TRIED }, (_, at) => UNITS[(from + at * 389) % UNITS.length] ?? '');
    const slow = units.flatMap((unit) => {
      const quarters = hostile(unit, CHARACTERS / 4);
      return hostile(unit, CHARACTERS).flatMap((whole, at) => {
        const times = growth(read, quarters[at] ?? '', whole);
        return times === undefined ? [] : [{ unit, ends: at === 1, times: times.toFixed(1) }];
      });
    });
    expect(slow, `seed ${SEED}`).toEqual([]);
  },
  600_000,
);
