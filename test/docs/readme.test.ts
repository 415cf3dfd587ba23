import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { readConfig } from '../../src/config.ts';
import { anchorOf, codeIn, documents, isThere, rowsUnder, sectionsOf, textOf } from './documents.ts';

describe('the configuration table', () => {
  const rows = rowsUnder('README.md', 'Configuration');
  const shape = /z\.object\(\{\n(.*?)\n\}\);/s.exec(textOf('src/config.ts'))?.[1] ?? '';
  const variables = [...shape.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);

  test('names every variable that is read, and no other', () => {
    expect(variables.length).toBeGreaterThan(10);
    expect(rows.map(([name = '']) => codeIn(name)).sort()).toEqual([...variables].sort());
  });

  test('gives the defaults that are taken', () => {
    const defaults: Record<string, unknown> = { ...readConfig({}) };
    const shown = Object.fromEntries(rows.map(([name = '', value = '']) => [codeIn(name), codeIn(value)]));
    const taken = Object.fromEntries(variables.map((name) => [name, asShown(defaults[name])]));
    expect(shown).toEqual(taken);
  });

  test('says what each one means', () => {
    expect(rows.filter(([, , meaning = '']) => meaning === '')).toEqual([]);
  });
});

test('every link of the documents leads somewhere', () => {
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

test('every file and folder that a document names is there', () => {
  const broken: string[] = [];
  for (const [file, text] of documents())
    for (const [, named = ''] of text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g))
      if (!isThere(named)) broken.push(`${file}: ${named}`);
  expect(broken).toEqual([]);
});

function asShown(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
