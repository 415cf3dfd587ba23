import { expect, test } from 'vitest';

import { queueSettings } from '../../src/contract/queue.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { codeIn, filesOf, rowsUnder } from './documents.ts';

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

test('docs/switches.md names a test for all that stands now, and the tests are there', () => {
  const tests = [...filesOf('test/**/*.test.ts').values()].join('\n');
  const rows = rowsUnder(PAGE);
  const stands = new Set(rows.map(([, , state]) => state));
  expect([...stands].filter((state) => !['now', 'built', 'later', 'service'].includes(state ?? ''))).toEqual(
    [],
  );
  const astray = rows.filter(
    ([, , state, name = '']) => (state === 'now') !== (name !== '') || (name !== '' && !tests.includes(name)),
  );
  expect(astray).toEqual([]);
  expect(rows.length).toBeGreaterThan(25);
});
