import { expect, test } from 'vitest';

import { codeIn, rowsUnder, textOf } from './documents.ts';

test('every promise of docs/reliability.md names a test that is there', () => {
  const promises = rowsUnder('docs/reliability.md', 'Shown by tests');
  const missing = promises.filter(
    ([, name = '', file = '']) => name === '' || !textOf(codeIn(file)).includes(name),
  );
  expect(missing).toEqual([]);
  expect(promises.length).toBeGreaterThan(10);
});
