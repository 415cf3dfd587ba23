import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The figures that test/architecture.test.ts limits; `npm run figures` prints them.

const ROOT = path.resolve(import.meta.dirname, '..');
const CORE = ['slack', 'text', 'blocks', 'inbox', 'outbox', 'threads', 'tickets', 'people'];
const WORDS = ['lane', 'parked', 'whoever', 'anew', 'thereof', 'heed', 'whisper', 'told'];

const glob = (pattern: string) => globSync(pattern, { cwd: ROOT }).sort();
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The TypeScript files of src/, with their text. */
export const sources: ReadonlyMap<string, string> = new Map(
  glob('src/**/*.{ts,tsx}').map((file) => [file, read(file)]),
);

/** The imports of a file; `target` is the path of one of our own files. */
export function importsOf(file: string, text = sources.get(file) ?? '') {
  const found = text.matchAll(/(import type [^;]*?)?(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map(([, type, specifier = '']) => ({
    specifier,
    isType: type !== undefined,
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

/** The number of files in each folder of sources and tests. */
export function filesPerFolder(): Map<string, number> {
  const folders = Map.groupBy(glob('{src,test}/**/*.{ts,tsx,js,css,html,sql,json}'), (file) =>
    path.posix.dirname(file),
  );
  return new Map([...folders].map(([folder, files]) => [folder, files.length]));
}

/** Hand-written TypeScript of more than 500 lines; generated row types do not count. */
export function longFiles(): string[] {
  return [...sources]
    .filter(([, text]) => !text.startsWith('// Generated') && lines(text) > 500)
    .map(([file]) => file);
}

/** Words of the old dialect in src, docs and README, also as part of a name. */
export function dialect(): Record<string, number> {
  const files = [
    ...glob('src/**/*.{ts,tsx,js,css,html,sql,json}'),
    ...glob('docs/**/*.{md,yaml,json}'),
    'README.md',
  ];
  const text = files.map((file) => read(file).replaceAll(/([a-z])([A-Z])/g, '$1 $2')).join('\n');
  return Object.fromEntries(
    WORDS.map((word) => [word, [...text.matchAll(new RegExp(`(?<![a-z])${word}s?(?![a-z])`, 'gi'))].length]),
  );
}

const lines = (text: string) => text.split('\n').length - 1;
const bytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0);

function figures(): string {
  const all = glob('src/**/*.{ts,tsx,js,css,html,sql}');
  const isGenerated = (file: string) => read(file).startsWith('// Generated');
  const modules = Map.groupBy(all, (file) => file.split('/').slice(1, -1)[0] ?? '(root)');
  const rows = [...modules, ['src', all] as const].map(([name, files]) => {
    const code = files.filter((file) => /\.tsx?$/.test(file) && !isGenerated(file));
    const other = files.filter((file) => !code.includes(file));
    const count = (some: readonly string[]) => some.reduce((sum, file) => sum + lines(read(file)), 0);
    return {
      module: name,
      files: files.length,
      'lines of TypeScript': count(code),
      'other lines': count(other),
    };
  });
  const cell = (value: string | number, width: number) =>
    typeof value === 'number' ? value.toLocaleString('en').padStart(width) : value.padEnd(width);
  const head = Object.keys(rows[0] ?? {});
  const folders = [...filesPerFolder()].sort(([, one], [, other]) => other - one).slice(0, 8);
  const words = dialect();
  const docs = glob('docs/**/*.md');
  return [
    head.map((name, at) => cell(name, at === 0 ? 10 : name.length)).join('  '),
    ...rows.map((row) =>
      Object.values(row)
        .map((value, at) => cell(value, at === 0 ? 10 : (head[at]?.length ?? 0)))
        .join('  '),
    ),
    '',
    `largest folders: ${folders.map(([folder, count]) => `${folder} ${count}`).join(', ')}`,
    `files over 500 lines: ${longFiles().join(', ') || 'none'}`,
    `files of the bridge: ${glob('src/bridge/**/*.ts').length}`,
    `imports from core to feature: ${importsOfFeatures().length}`,
    `cycles: ${cycles().length}`,
    `docs: ${docs.length} pages, ${bytes(docs).toLocaleString('en')} bytes; README: ${bytes(['README.md']).toLocaleString('en')} bytes`,
    `words: ${Object.entries(words)
      .map(([word, count]) => `${word} ${count}`)
      .join(', ')}; in all ${Object.values(words).reduce((sum, count) => sum + count, 0)}`,
  ].join('\n');
}

if (import.meta.main) console.log(figures());
