import { expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { callAtRandom } from '../service/assist/random-calls.ts';
import { startTestService } from '../service/harness.ts';
import { SEED } from './drill.ts';

test('10,000 random calls of AI tools as random readers show nothing that is kept from them', async () => {
  const { leaks, answered } = await callAtRandom(await startTestService(), seeded(SEED), 10_000);
  expect(leaks).toEqual([]);
  expect(answered).toBeGreaterThan(3_000);
});
