import { test } from 'vitest';

import { runReplicas } from '../drills/harness/replica-run.ts';
import { seeded } from '../harness/seeded.ts';

test('B53 two bridges share the work, and one is killed: nothing is lost, doubled, out of order or wrong', async () => {
  await runReplicas({ bridges: 2, conversations: 2, rounds: 1 }, seeded(20_261_121));
});
