import { expect, test } from 'vitest';

import { patchedFile } from '../drills/harness/patch.ts';
import { PLANTS } from './plants.ts';

test.each([...PLANTS])(
  'the patch of a bug that the simulation has to find still applies: %s',
  async (_, patches) => {
    for (const patch of patches) expect(await patchedFile(patch)).toContain(patch.to);
  },
);
