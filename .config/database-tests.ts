import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Whoever wants a database of the run's server has it from here, worlds of several programs too. */
const DATABASE = path.join(ROOT, 'test/harness/database.ts');

/**
 * Which test files use the server that a run shares, and which do not: by what they import, directly or by way of other
 * files of the tests. Only the first can come out differently on another version of Postgres.
 */
export function testFiles(): { database: string[]; alone: string[] } {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
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
