import { describe, expect, test } from 'vitest';

import { mutantsOf, mutatedText, sample } from './mutants.ts';
import { seeded } from './seeded.ts';

const changesOf = (source: string) =>
  mutantsOf('src/a/b.ts', source).map(({ operator, after }) => `${operator}: ${after}`);

describe('kinds of mutants', () => {
  test.each<[string, string[]]>([
    ['if (a) b();', ['negate a condition: if (!(a)) b();', 'drop a statement: if (a) ;']],
    ['const a = b ? 1 : 2;', ['negate a condition: const a = !(b) ? 1 : 2;']],
    ['await save(a);', ['drop a statement: ;', 'drop an await: (save(a));']],
    ['a.b += c;', ['drop a statement: ;']],
    ['const a = b <= c;', ['change a comparison: const a = b < c;']],
    ['const a = b === c;', ['change a comparison: const a = b !== c;']],
    ['const a = b && c;', ['swap and with or: const a = ((b) || (c));']],
    ['const a = { b: true };', ['flip a boolean: const a = { b: false };']],
    ['const a = b - 1;', ['change a sign: const a = b + 1;']],
    ['const a = b.filter((c) => d(c)).map(e);', ['drop a filter or a sort: const a = b.map(e);']],
    ['const a = db.forUpdate().skipLocked().execute();', ['skip a lock: const a = db.execute();']],
    [
      'const a = sql`select a from b for update skip locked limit 1`;',
      ['skip a lock: const a = sql`select a from b  limit 1`;'],
    ],
    [
      'const a = sql`select pg_advisory_xact_lock(${b})`;',
      ['skip a lock: const a = sql`select coalesce(${b})`;'],
    ],
  ])('%s', (source, changes) => {
    expect(changesOf(source)).toEqual(changes);
  });

  test('logs, errors, descriptions, types and imports are not mutated', () => {
    expect(changesOf(`import a from 'b';`)).toEqual([]);
    expect(changesOf(`log.info({ event: true }, 'done');`)).toEqual([]);
    expect(changesOf('throw new Error(a ? b : c);')).toEqual([]);
    expect(changesOf('type A = { b: true } | false;')).toEqual([]);
    expect(changesOf('const a = z.string().describe(b ? c : d);')).toEqual([]);
  });

  test('a mutant is identified by its text, even if lines were added before it', () => {
    const source = 'const a = 1;\nif (b) c();\nif (b) c();\n';
    const mutants = mutantsOf('src/a/b.ts', source);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(4);
    const second = mutants.find(({ line, operator }) => line === 3 && operator === 'negate a condition');
    const moved = `// new\n${source}`;
    expect(mutantsOf('src/a/b.ts', moved).map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
    expect(second && mutatedText(moved, second)).toBe('// new\nconst a = 1;\nif (b) c();\nif (!(b)) c();\n');
    expect(second && mutatedText('const a = 1;\nif (b()) c();\n', second)).toBeUndefined();
  });

  test('a sample is the same for a seed, and spread over the modules by their lines', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `a${n} = b;`).join('\n');
    const sources = new Map([
      ['src/one/a.ts', lines(300)],
      ['src/two/a.ts', lines(50)],
      ['src/two/b.ts', lines(50)],
      ['src/main.ts', lines(10)],
    ]);
    const drawn = (seed: number) => sample(sources, { count: 41, random: seeded(seed) });
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    const of = (folder: string) => drawn(1).filter(({ file }) => file.startsWith(folder)).length;
    expect([of('src/one/'), of('src/two/'), of('src/main.ts')]).toEqual([30, 10, 1]);
    expect(new Set(drawn(1).map(({ id }) => id)).size).toBe(41);
  });
});
