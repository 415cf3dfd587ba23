import { describe } from 'vitest';

import { testTexts } from '../bridge/text/rules.ts';
import { LONG, SEED } from './drill.ts';

describe('P9 texts that cross, different ones in each run', () => {
  console.log(`texts: seed ${SEED}`);
  testTexts({ numRuns: LONG ? 10_000 : 1_000, seed: SEED });
});
