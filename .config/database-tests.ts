import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
/** A test file gets its database on the shared server from this module; worlds of several programs do too. */
const DATABASE = path.join(ROOT, 'test/harness/database.ts');
/** The suites that have a folder and a configuration of their own; everything else is `npm test`. */
const SUITES = ['test/drills/', 'test/browser/'];

/**
 * Splits the test files of a suite: those that use the server that a run shares, and those that do not, by what they
 * import, directly or through other files of the tests. Only the first can fail on another version of Postgres.
 */
export function testFiles(folder = 'test/'): { database: string[]; alone: string[] } {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((file) => (SUITES.find((suite) => file.startsWith(suite)) ?? 'test/') === folder)
    .sort();
  const database = files.filter((file) => reachable(path.join(ROOT, file)).has(DATABASE));
  return { database, alone: files.filter((file) => !database.includes(file)) };
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
