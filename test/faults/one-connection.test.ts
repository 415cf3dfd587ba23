import { expect, test } from 'vitest';

import { type Route, type RouteName, routes } from '../../src/contract/index.ts';
import { startTestService } from '../service/harness.ts';
import { createWorld, optionsOf, pathOf, SAMPLES } from '../service/world.ts';

test('F13 every operation works with one connection to the database: none needs a second one inside a transaction', async () => {
  const running = await startTestService({ poolSize: 1 });
  const world = await createWorld(running);
  // Operations that delete records come last.
  const rows = (Object.entries(routes) as [RouteName, Route][]).sort(
    ([, a], [, b]) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  );
  const answers: [string, number][] = [];
  for (const [name, route] of rows) {
    const sample = SAMPLES[name](world);
    const { status } = await running.call(route.method, pathOf(route.path, sample), optionsOf(sample));
    answers.push([name, status]);
  }
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
});
