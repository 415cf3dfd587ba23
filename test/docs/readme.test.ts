import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { readConfig } from '../../src/start/config.ts';
import { anchorOf, codeIn, documents, filesOf, isThere, rowsUnder, sectionsOf, textOf } from './documents.ts';

describe('the table of settings', () => {
  const rows = rowsUnder('docs/deploy.md', 'Settings');
  const shape = /z\.object\(\{\n(.*?)\n\}\);/s.exec(textOf('src/start/config.ts'))?.[1] ?? '';
  const variables = [...shape.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);

  test('has every variable that the configuration reads, and no others', () => {
    expect(variables.length).toBeGreaterThan(10);
    expect(rows.map(([name = '']) => codeIn(name)).sort()).toEqual([...variables].sort());
  });

  test('has the actual defaults', () => {
    const defaults: Record<string, unknown> = { ...readConfig({}) };
    const shown = Object.fromEntries(rows.map(([name = '', value = '']) => [codeIn(name), codeIn(value)]));
    const taken = Object.fromEntries(variables.map((name) => [name, asShown(defaults[name])]));
    expect(shown).toEqual(taken);
  });

  test('has a description of each', () => {
    expect(rows.filter(([, , meaning = '']) => meaning === '')).toEqual([]);
  });
});

test('every link in the documents has a target', () => {
  const broken: string[] = [];
  for (const [file, text] of documents())
    for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [name = '', anchor] = target.split('#');
      const linked = name === '' ? file : path.join(path.dirname(file), name);
      if (!isThere(linked)) broken.push(`${file}: ${target}`);
      else if (anchor && !sectionsOf(linked).map(anchorOf).includes(anchor))
        broken.push(`${file}: ${target}`);
    }
  expect(broken).toEqual([]);
});

test('every file and folder named in a document exists', () => {
  const broken: string[] = [];
  for (const [file, text] of documents())
    for (const [, named = ''] of text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g))
      if (!isThere(named)) broken.push(`${file}: ${named}`);
  expect(broken).toEqual([]);
});

test.each([
  ['rule', 'docs/admin.md', 'Chat rules', ['src/**/*.ts', 'test/**/*.ts'], /\bB\d{1,2}a?\b/g],
  [
    'fault and property',
    'docs/reliability.md',
    'Faults and properties',
    ['test/**/*.ts'],
    /\b[FP][1-9]\d?\b/g,
  ],
] as const)('every %s named in code or tests has one row in %s', (_, page, heading, code, pattern) => {
  const rows = rowsUnder(page, heading).map(([number = '']) => number);
  const named = new Set([...filesOf(...code).values()].flatMap((text) => text.match(pattern) ?? []));
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((number) => !rows.includes(number))).toEqual([]);
  expect(new Set(rows).size).toBe(rows.length);
});

function asShown(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
