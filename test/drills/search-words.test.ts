import { expect, test } from 'vitest';

import { startTestService } from '../service/harness.ts';
import { SEARCHES, searchesThatMiss } from '../service/search/word-set.ts';

test('every search of the word set finds its text in a title and in a message', async () => {
  expect(await searchesThatMiss(await startTestService(), SEARCHES)).toEqual([]);
});
