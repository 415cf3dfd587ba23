import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { testFiles } from '../../.config/database-tests.ts';
import { textOf } from '../docs/documents.ts';

test('every test runs on each Postgres of CI, but for those that know no database of the run', () => {
  const { database, alone } = testFiles();
  const drills = testFiles('test/drills/');
  const browser = globSync('test/browser/**/*.test.ts');
  expect([...database, ...alone, ...drills.database, ...drills.alone, ...browser].sort()).toEqual(
    globSync('test/**/*.test.ts').sort(),
  );
  expect(database.filter((file) => file.startsWith('test/scenarios/')).length).toBeGreaterThan(20);
  // The address of the run's server is handed out under this name.
  const address = ['admin', 'Url'].join('');
  expect([...alone, ...drills.alone].filter((file) => textOf(file).includes(address))).toEqual([]);
});
