import { expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { callAtRandom } from '../service/assist/random-calls.ts';
import { startTestService } from '../service/harness.ts';
import { LONG, SEED } from './drill.ts';

const CALLS = LONG ? 10_000 : 1_000;

test(`${CALLS} random calls of AI tools as random readers show nothing that is kept from them`, async () => {
  const { leaks, answered, shown } = await callAtRandom(await startTestService(), seeded(SEED), CALLS);
  expect(leaks).toEqual([]);
  // They did read what they may.
  expect([answered > CALLS / 4, shown > CALLS / 10]).toEqual([true, true]);
  console.log(
    `tool secrecy: ${CALLS} calls, ${answered} answered, ${shown} titles shown, none wrong (seed ${SEED})`,
  );
});
