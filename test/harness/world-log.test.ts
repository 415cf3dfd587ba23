import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { WorldLog } from './world-log.ts';

test('a line is found that arrived together with the line before it', async () => {
  const log = new WorldLog();
  const found: unknown[] = [];
  void log.find(({ msg }) => msg === 'ready').then((line) => found.push(line));
  for (const msg of ['the sandbox workspace is open', 'ready']) log.add(JSON.stringify({ msg }));
  await nextTurn();
  expect(found).toEqual([{ msg: 'ready' }]);
});
