import { expect, test } from 'vitest';

import { PROMISES } from '../simulation/promises.ts';
import { rowsUnder } from './documents.ts';

test('what the simulation judges are promises of docs/reliability.md, word for word', () => {
  const promised = rowsUnder('docs/reliability.md', 'Promises').map(([promise]) => promise);
  expect(Object.values(PROMISES).filter((promise) => !promised.includes(promise))).toEqual([]);
});

test('docs/simulation.md names the promise that is printed for each kind of trouble', () => {
  const named = rowsUnder('docs/simulation.md', 'What is judged').flatMap(([kinds = '', promise]) =>
    kinds.split(', ').map((kind): [string, string | undefined] => [kind, promise]),
  );
  expect(Object.fromEntries(named)).toEqual(PROMISES);
});
