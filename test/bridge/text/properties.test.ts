import { describe, expect, test } from 'vitest';

import { chatToMarkdown } from '../../../src/bridge/text/from-chat.ts';
import { markdownWords } from '../../../src/bridge/text/to-chat.ts';
import { parseMarkdown } from '../../../src/platform/text/markdown.ts';
import { names, TEXTS } from './documents.ts';
import { keepsLimits, mentions, readBack, rich, squeezed, testTexts, toChat } from './rules.ts';

// The same texts every time; a drill tries others (test/drills/texts.test.ts).
describe('P9 texts that cross', () => {
  testTexts({ numRuns: 100, seed: 85_498_636 });

  test.each(TEXTS.map((words, at) => [at, words] as const))('P9 corpus %i', (_, words) => {
    keepsLimits(words);
    const first = readBack(words);
    expect(readBack(first)).toBe(first);
    const said = chatToMarkdown({ text: '', blocks: [rich({ type: 'text', text: words })] }, names);
    expect(mentions(parseMarkdown(said))).toBe(0);
    const code = chatToMarkdown({ text: '', blocks: [preformatted(words)] }, names);
    expect(readBack(code)).toBe(code);
  });

  test('P9 40,000 characters arrive complete, in parts that Slack accepts, and no character is cut', () => {
    const source = 'Grüße 👩‍👩‍👧‍👦👋🏽 <b> & _x_\n\n'.repeat(1_300) + '👩‍👩‍👧‍👦'.repeat(600) + 'x'.repeat(9_000);
    keepsLimits(source);
    const parts = toChat(source);
    expect(squeezed(parts.map(({ blocks }) => textsOf(blocks)).join(''))).toBe(
      squeezed(markdownWords(source)),
    );
    for (const { blocks } of parts) {
      expect(JSON.stringify(blocks)).not.toMatch(/\\ud[89a-f]/i);
      expect(textsOf(blocks).trim()).not.toMatch(/^\u200d|\u200d$/);
    }
  });

  test('P9 a text with many styles is split where its blocks grow too long', () => {
    const source = Array.from({ length: 1_500 }, (_, at) => `**a${at}** _b_`)
      .join(' ')
      .replaceAll(/(\d\d9\*\* _b_) /g, '$1\n\n');
    keepsLimits(source);
    expect(toChat(source).length).toBeGreaterThan(5);
    const list = Array.from({ length: 900 }, (_, at) => `${at + 1}. item`).join('\n');
    keepsLimits(list);
    const offsets = [...JSON.stringify(toChat(list)).matchAll(/"offset":(\d+)/g)].map(([, offset]) =>
      Number(offset),
    );
    expect(offsets).toEqual(Array.from({ length: 899 }, (_, at) => at + 1));
  });

  test('P9 extremely deep nesting takes no time and stays text', () => {
    for (const hostile of [
      '>'.repeat(20_000),
      '- '.repeat(20_000),
      '['.repeat(20_000),
      '*a _b '.repeat(5_000),
      '`'.repeat(20_000),
    ])
      keepsLimits(hostile);
    for (const hostile of ['*a '.repeat(13_000), '<'.repeat(40_000), '`a'.repeat(20_000), '_'.repeat(40_000)])
      expect(chatToMarkdown({ text: hostile, blocks: [] }, names).length).toBeGreaterThan(0);
  });
});

function preformatted(code: string) {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: code }] }],
  };
}

function textsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, part]: [string, unknown]) =>
      key === 'text' && typeof part === 'string' ? part : textsOf(part),
    )
    .join('');
}
