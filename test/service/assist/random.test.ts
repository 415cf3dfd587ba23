import { expect, it } from 'vitest';

import { seeded } from '../../harness/seeded.ts';
import { sharedService } from '../harness.ts';
import { callAtRandom } from './random-calls.ts';

const newWorkspace = sharedService();

/** The drill makes more, with other seeds: test/drills/tool-secrecy.test.ts. */
const CALLS = 300;

it('random calls of random readers show nothing that the rule and the switches keep from them', async () => {
  const { leaks, answered, shown } = await callAtRandom(await newWorkspace(), seeded(5), CALLS);
  expect(leaks).toEqual([]);
  // They did read what they may.
  expect([answered > CALLS / 3, shown > CALLS / 6]).toEqual([true, true]);
});
