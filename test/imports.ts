import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Which file imports which, for test/architecture.test.ts.

const ROOT = path.resolve(import.meta.dirname, '..');
const CORE = ['slack', 'text', 'blocks', 'inbox', 'outbox', 'threads', 'tickets', 'people'];

const glob = (pattern: string) => globSync(pattern, { cwd: ROOT }).sort();
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The TypeScript files of src/, with their text. */
const sources: ReadonlyMap<string, string> = new Map(
  glob('src/**/*.{ts,tsx}').map((file) => [file, read(file)]),
);

/** The imports of a file; `target` is the path of one of our own files, `isLate` says that it is an `import()`. */
export function importsOf(file: string, text = sources.get(file) ?? '') {
  const found = text.matchAll(/(import type [^;]*?)?(?:from|import)\s*(\(?)\s*'([^']+)'/g);
  return [...found].map(([, type, late, specifier = '']) => ({
    specifier,
    isType: type !== undefined,
    isLate: late === '(',
    target: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
  }));
}

/** Import cycles, as `a → b → a`. */
export function cycles(): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const { target } of importsOf(file))
      if (target && sources.has(target)) visit(target, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of sources.keys()) visit(file, []);
  return found;
}

/** Imports of features by the bridge's core, direct or indirect. */
export function importsOfFeatures(): string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { target } of importsOf(file)) {
      if (target?.startsWith('src/bridge/features/')) found.push(`${file} imports ${target}`);
      else if (target && sources.has(target)) visit(target);
    }
  };
  for (const file of sources.keys())
    if (CORE.some((name) => file.startsWith(`src/bridge/${name}/`))) visit(file);
  return found;
}
