import { expect, test } from 'vitest';

import { PROMISES } from '../simulation/promises.ts';
import { rowsUnder } from './documents.ts';

test('what the simulation judges are promises of docs/reliability.md, word for word', () => {
  const promised = rowsUnder('docs/reliability.md', 'Promises').map(([promise]) => promise);
  expect(Object.values(PROMISES).filter((promise) => !promised.includes(promise))).toEqual([]);
});
