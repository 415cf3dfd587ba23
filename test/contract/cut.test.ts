import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cut, firstCharacter, shorten, shortenAtWord } from '../../src/contract/index.ts';
import { escapeShort } from '../../src/bridge/text/to-chat.ts';
import { titleFromText } from '../../src/bridge/tickets/rules.ts';
import { titleOf as serviceTitle } from '../../src/service/tickets/title.ts';
import { shortenMarkdown } from '../../src/platform/text/shorten-markdown.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const signsOf = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);

/** Signs of one to 25 UTF-16 units. */
const SIGNS = [
  'a',
  ' ',
  'é',
  'e\u0301',
  '漢',
  '🎫',
  '👋🏽',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '☎️',
  '1️⃣',
  'नि',
  '각',
  '&',
  '<',
  '*',
  '\n',
];
const text = fc.array(fc.constantFrom(...SIGNS), { maxLength: 60 }).map((signs) => signs.join(''));
/** The program's functions that shorten; their results end with an ellipsis if something is left out. */
const SHORTENERS: Record<string, (text: string, length: number) => string> = {
  shorten,
  'shorten at a word': shortenAtWord,
};

describe('a text that is cut', () => {
  test('keeps whole signs only, as many as there is room for', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 90 }), (words, length) => {
        const beginning = cut(words, length);
        expect(beginning.length).toBeLessThanOrEqual(length);
        const signs = signsOf(words);
        const kept = signsOf(beginning);
        expect(kept).toEqual(signs.slice(0, kept.length));
        const next = signs[kept.length] ?? '';
        expect(beginning.length + next.length > length || next === '').toBe(true);
      }),
      { numRuns: 300, seed: 20_261_126 },
    );
  });

  test.each(Object.entries(SHORTENERS))('%s: it ends with a whole sign and an ellipsis', (_, short) => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 90 }), (words, length) => {
        const result = short(words, length);
        expect(result.length).toBeLessThanOrEqual(length);
        if (words.length <= length) expect(result).toBe(words);
        else {
          const kept = signsOf(result.replace(/…$/, ''));
          expect(signsOf(words).slice(0, kept.length)).toEqual(kept);
        }
      }),
      { numRuns: 200, seed: 20_261_126 },
    );
  });

  test('an escaped text is not cut in an escape, and uses the room there is', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 200 }), (words, length) => {
        const result = escapeShort(words, length);
        expect(result.length).toBeLessThanOrEqual(length);
        expect(result).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      }),
      { numRuns: 200, seed: 20_261_126 },
    );
    expect(escapeShort('&'.repeat(3_000), 3_000)).toBe(`${'&amp;'.repeat(599)}…`);
  });

  test.each([
    ['flags without a space', '🇩🇪'.repeat(40), 101],
    ['flags behind a letter', `a${'🇩🇪'.repeat(40)}`, 101],
    ['a family at the end', `${'a'.repeat(95)}👩‍👩‍👧‍👦`, 100],
    ['one sign that is longer itself', `e${'\u0301'.repeat(200)}`, 100],
  ])('%s', (_, words, length) => {
    const result = cut(words, length);
    expect(result.length).toBeLessThanOrEqual(length);
    expect(result.length).toBeGreaterThan(90);
    if (!words.startsWith('e')) expect(result).toMatch(/(?:🇩🇪|a)$/u);
  });

  test('titles end with a whole sign', () => {
    for (const sign of SIGNS.slice(4, 14))
      for (let before = 90; before < 120; before += 1) {
        const words = `${'a'.repeat(before)}${sign.repeat(20)}`;
        for (const title of [titleFromText(words), serviceTitle(null, words) ?? '']) {
          expect(title.length).toBeLessThanOrEqual(120);
          expect(signsOf(words)).toEqual(expect.arrayContaining(signsOf(title.replace(/…$/, ''))));
        }
      }
  });

  test.each([
    ['a link', `${'word '.repeat(18)}[the guide of the team](https://x.example/a/very/long/path)`, 100],
    ['code of a block', `Run\n\n\`\`\`sh\n${'npm install\n'.repeat(20)}\`\`\``, 100],
    ['a style', `**${'bold words '.repeat(20)}end** and more`, 100],
    ['a list', '- one **item**\n'.repeat(30), 100],
    ['a mention', `${'word '.repeat(19)}[@Ada Reyes](user:usr_1) ${'x'.repeat(99)}`, 100],
  ])('Markdown is not cut in %s', (_, markdown, length) => {
    const short = shortenMarkdown(markdown, length, shortenAtWord);
    expect(short.length).toBeLessThan(length * 2.2);
    expect(short).toMatch(/…$/);
    expect(short.match(/```/g)?.length ?? 2).toBe(2);
    expect(short).not.toMatch(/\\\*|\\\[|\]\([^)]*$/);
  });

  test('the first sign of a name is a whole one', () => {
    expect(['👩🏽‍💻 Ada', 'e\u0301va', '🇩🇪x', ''].map(firstCharacter)).toEqual(['👩🏽‍💻', 'e\u0301', '🇩🇪', '']);
  });
});
