import { expect, test } from 'vitest';

import { Figures, killDuring, Worlds } from '../drills/kills.ts';
import { seeded } from '../harness/seeded.ts';

/** The seed of the kills; npm run test:drills draws others. */
const SEED = 20_261_121;

test('B52 F2 the bridge is killed at three steps of what both sides do: nothing is lost, doubled, out of order or wrong', async () => {
  const figures = new Figures();
  const worlds = new Worlds(seeded(SEED));
  for (const [acts, step] of [
    [['answer', 'reply'], 3],
    [['create', 'edit'], 6],
    [['delete answer', 'react'], 2],
  ] as const)
    await killDuring(await worlds.next(), acts, step, figures);
  await worlds.finish();
  expect(figures.kills).toBe(3);
}, 300_000);
