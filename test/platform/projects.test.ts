import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { testFiles } from '../../.config/database-tests.ts';
import { textOf } from '../docs/documents.ts';

test('every test runs on each Postgres of CI, but for those that know no database of the run', () => {
  const { database, alone } = testFiles();
  expect([...database, ...alone].sort()).toEqual(globSync('test/**/*.test.ts').sort());
  expect(database.filter((file) => file.startsWith('test/scenarios/')).length).toBeGreaterThan(30);
  // The address of the run's server is handed out under this name.
  const address = ['admin', 'Url'].join('');
  expect(alone.filter((file) => textOf(file).includes(address))).toEqual([]);
});
