import { describe, expect, test } from 'vitest';

import { filesOf, isThere, sectionsOf } from './documents.ts';
import { rulesAndTests } from './rules.ts';

/** The tests of this folder speak of rules and pages as examples. */
const code = () =>
  new Map([...filesOf('src/**/*.ts', 'test/**/*.ts')].filter(([file]) => !file.startsWith('test/docs/')));

/** `docs/decisions.md, Tickets, Enumerations`: a page, and names of its sections up to the end of the clause. */
const REFERENCE = /\b(docs\/[\w-]+\.md)((?:, [A-Za-z0-9][^,.:;)\n*]*)*)/g;

test('every page and section of the docs that the code refers to is there', () => {
  const broken: string[] = [];
  let sections = 0;
  for (const [file, text] of code())
    for (const [reference, page = '', named = ''] of text.matchAll(REFERENCE)) {
      if (!isThere(page)) {
        broken.push(`${file}: ${page}`);
        continue;
      }
      const there = sectionsOf(page);
      for (const section of named.split(', ').slice(1)) {
        sections++;
        if (!there.includes(section.trim())) broken.push(`${file}: ${reference}`);
      }
    }
  expect(broken).toEqual([]);
  expect(sections).toBeGreaterThan(10);
});

describe('the rules of docs/chat-rules.md', () => {
  const rules = rulesAndTests();

  test('are numbered from B0 to B61 without a gap, and each says where it stands', () => {
    const numbers = rules.map(({ rule }) => rule).filter((rule) => rule !== 'B0a');
    expect(numbers).toEqual(Array.from({ length: 62 }, (_, number) => `B${number}`));
    expect(rules.filter(({ today }) => today === undefined)).toEqual([]);
  });

  test('hold every rule that the code names', () => {
    const known = new Set(rules.map(({ rule }) => rule));
    const unknown = [...code()].flatMap(([file, text]) =>
      [...text.matchAll(/\bB\d{1,3}[a-z]?\b/g)]
        .filter(([rule]) => !known.has(rule))
        .map(([rule]) => `${file}: ${rule}`),
    );
    expect(unknown).toEqual([]);
  });

  test('are each named by a test', () => {
    expect(rules.filter(({ tests }) => tests.length === 0).map(({ rule }) => rule)).toEqual([]);
  });
});
