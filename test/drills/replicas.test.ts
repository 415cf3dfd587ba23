import { describe, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { LONG, SEED } from './drill.ts';
import { ACTS_OF_A_ROUND, runReplicas } from './harness/replica-run.ts';

const ROUNDS = LONG ? 70 : 2;
/** Concurrent conversations. */
const AT_ONCE = 6;

describe('B53 several bridges share the work', () => {
  test.each([2, 4])(
    'with %i bridges, killed one after the other during conversations: nothing is lost, doubled, out of order or wrong',
    async (bridges) => {
      await runReplicas({ bridges, conversations: AT_ONCE, rounds: ROUNDS }, seeded(SEED));
      console.info(
        `replicas: ${bridges} bridges, seed ${SEED}, ${ROUNDS * AT_ONCE * ACTS_OF_A_ROUND} acts: lost 0, doubled 0, out of order 0`,
      );
    },
  );
});
