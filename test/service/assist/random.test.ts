import { expect, it } from 'vitest';

import { seeded } from '../../harness/seeded.ts';
import { sharedService } from '../harness.ts';
import { callAtRandom } from './random-calls.ts';

const newWorkspace = sharedService();

it('random calls of random readers show nothing that the rule and the switches keep from them', async () => {
  const { leaks, answered, shown } = await callAtRandom(await newWorkspace(), seeded(5), 600);
  expect(leaks).toEqual([]);
  // They did read what they may.
  expect([answered > 200, shown > 100]).toEqual([true, true]);
});
