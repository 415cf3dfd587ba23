import { expect, test } from 'vitest';

import { queueSettings } from '../../src/contract/queue.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { codeIn, rowsUnder } from './documents.ts';

const PAGE = 'docs/switches.md';

test.each([
  ['Of a queue', queueSettings.shape],
  ['Of a workspace', workspace.shape.settings.unwrap().shape],
])('docs/switches.md has each of the contract’s settings once: %s', (heading, shape) => {
  const shown = rowsUnder(PAGE, heading).map(([name = '']) => codeIn(name));
  expect(shown.toSorted()).toEqual(
    Object.keys(shape)
      .filter((name) => name !== 'id')
      .toSorted(),
  );
});
