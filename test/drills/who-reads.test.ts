import { expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { sharedService } from '../service/harness.ts';
import { walk } from '../service/team-queues/random.ts';
import { LONG, SEED } from './drill.ts';
import { walkInChat } from './harness/who-reads-in-chat.ts';

const newWorkspace = sharedService();

const COMPARISONS = LONG ? 200_000 : 8_000;

test(`whatever is asked, moved and switched, every surface shows every reader what the rule says, ${COMPARISONS} times`, async () => {
  let comparisons = 0;
  let walks = 0;
  for (; comparisons < COMPARISONS; walks++) {
    const compared = await walk(await newWorkspace(), seeded(SEED + walks));
    expect([walks, compared.different]).toEqual([walks, []]);
    comparisons += compared.comparisons;
  }
  console.log(`who reads: ${comparisons} comparisons in ${walks} workspaces, none wrong (seed ${SEED})`);
});

test('B0 B35 so does every surface in chat', async () => {
  const { comparisons } = await walkInChat(seeded(SEED), LONG ? 20 : 3);
  console.log(`who reads in chat: ${comparisons} comparisons, none wrong (seed ${SEED})`);
});
