import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { projects, scenarios } from '../../.config/vitest-projects.ts';
import { textOf } from '../docs/documents.ts';

test('every test runs on each Postgres version of CI, except those that do not use the run’s database', () => {
  const filesOf = (folder: string) => projects(folder).map(({ test }) => test.include ?? []);
  const suites = ['test/', 'test/drills/', 'test/browser/'].map(filesOf);
  const stories = (scenarios().test.include ?? []).flatMap((files) => globSync(files));
  expect([...suites.flat(2), ...stories].sort()).toEqual(globSync('test/**/*.test.ts').sort());
  const [database = []] = suites[0] ?? [];
  expect(database.filter((file) => file.startsWith('test/service/')).length).toBeGreaterThan(20);
  // The URL of the run's server is provided under this name.
  const address = ['admin', 'Url'].join('');
  const alone = suites.flatMap(([, files = []]) => files);
  expect(alone.filter((file) => textOf(file).includes(address))).toEqual([]);
});
