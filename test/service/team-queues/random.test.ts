import { expect, it } from 'vitest';

import { seeded } from '../../harness/seeded.ts';
import { sharedService } from '../harness.ts';
import { compare, createRandom, SURFACES, walk } from './random.ts';

const newWorkspace = sharedService();

// The drill does it with other seeds: test/drills/who-reads.test.ts.
it('whatever is asked, moved and switched, every surface shows every reader what the rule says', async () => {
  const { different } = await walk(await newWorkspace(), seeded(1));
  expect(different).toEqual([]);
});

it('a leak on any surface would be found', async () => {
  const running = await newWorkspace();
  const world = await createRandom(running, seeded(4));
  expect((await compare(running, world)).different).toEqual([]);
  // The rule is told that the queues are teams’, and the keys of none of them; the service is not.
  for (const queue of world.queues) queue.visibility = 'team';
  for (const reader of world.readers) if (reader.webhook) reader.queueIds = [];
  for (const ticket of world.tickets) {
    ticket.isPrivate = false;
    ticket.people = [];
  }
  const { different } = await compare(running, world);
  expect(different.toSorted()).toEqual([...Object.keys(SURFACES), 'relatives'].toSorted());
});
