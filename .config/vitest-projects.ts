import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { ProjectConfig } from 'vitest/node';

/** Where every suite runs. */
export const ROOT = path.resolve(import.meta.dirname, '..');
/** A test file gets its database on the shared server from this module; worlds of several programs do too. */
const DATABASE = path.join(ROOT, 'test/harness/database.ts');
/** The folders of `npm run test:scenarios`: whole conversations, and faults in running programs. */
const SCENARIOS = ['test/scenarios/', 'test/faults/'];
/** The suites that have folders of their own; everything else is `npm test`. */
const SUITES = ['test/drills/', 'test/browser/', ...SCENARIOS];
/** One Postgres for all that use it, in whichever worker. */
const SERVER = { globalSetup: [path.join(ROOT, 'test/harness/cluster.ts')] };
/**
 * What all suites have. A worker keeps what it has loaded. The limits of time only end what hangs: no test passes by
 * being quick, and a slow machine, busy with several programs, may take its time.
 */
const SHARED: ProjectConfig = {
  root: ROOT,
  isolate: false,
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 120_000 } },
};

/**
 * The two projects of a suite: `database` has the files that use the server which a run shares, `alone` the others, by
 * what they import, directly or through other files of the tests. Only the first can fail on another version of
 * Postgres: CI's second leg leaves the second out.
 */
export function projects(folder = 'test/', options: ProjectConfig = {}): { test: ProjectConfig }[] {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((file) => (SUITES.find((suite) => file.startsWith(suite)) ?? 'test/') === folder)
    .sort();
  const usesDatabase = (file: string) => reachable(path.join(ROOT, file)).has(DATABASE);
  const [database, alone] = [files.filter(usesDatabase), files.filter((file) => !usesDatabase(file))];
  return [
    { test: { ...SHARED, ...SERVER, name: 'database', include: database, ...options } },
    { test: { ...SHARED, name: 'alone', include: alone, ...options } },
  ];
}

/** The project of `npm run test:scenarios`. */
export function scenarios(): { test: ProjectConfig } {
  const include = SCENARIOS.map((folder) => `${folder}**/*.test.ts`);
  return { test: { ...SHARED, ...SERVER, name: 'scenarios', include } };
}

function reachable(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g)) {
    const imported = path.resolve(path.dirname(file), to);
    if (imported.startsWith(path.join(ROOT, 'test/')) && imported.endsWith('.ts')) reachable(imported, seen);
  }
  return seen;
}
