import { expect, test } from 'vitest';

import { codeIn, rowsUnder, textOf } from './documents.ts';

const IDS = [
  ...Array.from({ length: 9 }, (_, n) => `P${n + 1}`),
  ...Array.from({ length: 17 }, (_, n) => `F${n + 1}`),
];

test('every fault of docs/faults.md has a test whose name begins with its id, and none is left out', () => {
  const faults = rowsUnder('docs/faults.md', 'Faults');
  const missing = faults.filter(
    ([id = '', , , name = '', file = '']) =>
      !name.startsWith(`${id} `) || !["'", '`'].some((quote) => textOf(codeIn(file)).includes(quote + name)),
  );
  expect(missing).toEqual([]);
  expect([...new Set(faults.map(([id]) => id))]).toEqual(IDS);
});

test('every fault of docs/faults.md that has no test says why', () => {
  const untested = rowsUnder('docs/faults.md', 'Without a test, and why');
  expect(untested.filter(([id = '', what = '', why = '']) => !IDS.includes(id) || !what || !why)).toEqual([]);
});
