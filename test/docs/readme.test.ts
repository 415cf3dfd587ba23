import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { Environment, SETTINGS } from '../../src/start/settings.ts';
import { anchorOf, codeIn, documents, filesOf, isThere, rowsUnder, sectionsOf } from './documents.ts';
import { SETTINGS_PAGE, settingsPage } from './settings-page.ts';

test('the page of settings is what `npm run docs` writes, and describes every setting that is read', async () => {
  expect(readFileSync(SETTINGS_PAGE, 'utf8')).toBe(await settingsPage());
  const described = SETTINGS.flatMap(({ title }) => rowsUnder('docs/settings.md', title));
  expect(described.map(([name = '']) => codeIn(name)).sort()).toEqual(Object.keys(Environment.shape).sort());
  expect(described.filter(([, , , meaning = '']) => meaning === '')).toEqual([]);
});

test('every page begins with what one can do after reading it', () => {
  const others = [...filesOf('docs/*.md')]
    .filter(([, text]) => !/^# .+\n\nAfter reading this page you can /.test(text))
    .map(([file]) => file);
  expect(others).toEqual([]);
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

test('every picture is shown or linked in a document', () => {
  const texts = [...documents().values()].join('\n');
  const pictures = readdirSync(path.resolve(import.meta.dirname, '../../docs/pictures'));
  expect(pictures.length).toBeGreaterThan(20);
  expect(pictures.filter((name) => !texts.includes(`pictures/${name}`))).toEqual([]);
});

test('every file and folder named in a document exists', () => {
  const broken: string[] = [];
  for (const [file, text] of documents())
    for (const [, named = ''] of text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g))
      if (!isThere(named)) broken.push(`${file}: ${named}`);
  expect(broken).toEqual([]);
});

test.each([
  ['rule', 'docs/rules.md', 'Chat rules', ['src/**/*.ts', 'test/**/*.ts'], /\bB\d{1,2}a?\b/g],
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

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
