import { expect, test } from 'vitest';

import { Figures, killDuring, Worlds } from '../drills/kills.ts';
import { seeded } from '../harness/seeded.ts';

/** The seed of the kill; npm run test:drills kills at every step of every act. */
const SEED = 20_261_121;

test('B52 F2 the bridge is killed at a step of what both sides do: nothing is lost, doubled, out of order or wrong', async () => {
  const figures = new Figures();
  const worlds = new Worlds(seeded(SEED));
  await killDuring(await worlds.next(), ['answer', 'reply', 'create'], 4, figures);
  await worlds.finish();
  expect(figures.kills).toBe(1);
}, 300_000);
