import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';

import { chatToMarkdown } from '../../src/bridge/text/from-chat.ts';
import { parseMarkdown } from '../../src/platform/text/markdown.ts';
import { BLOCKS_CHARACTERS, PART_CHARACTERS } from '../../src/bridge/text/split.ts';
import { markdownToChat, markdownWords, mentionedIn } from '../../src/bridge/text/to-chat.ts';
import { checkBlocks } from '../../src/sandbox/blocks/check.ts';
import { chatUserOf, markdown, names, richText, text, TEXTS } from './text-documents.ts';

// TEXT_RUNS and TEXT_SEED run more of them, or the same again; fast-check prints what failed and how to repeat it.
const runs = Number(process.env['TEXT_RUNS'] ?? 1_000);
// The same texts every time; other seeds by hand: what one of them finds is mended there and then, not when others wait.
const seed = Number(process.env['TEXT_SEED'] ?? 85_498_636);
console.log(`texts: TEXT_SEED=${seed} TEXT_RUNS=${runs}`);
const options = { numRuns: runs, seed };

const toChat = (source: string) => markdownToChat(source, chatUserOf);
/** What the posts of a text look like when they are read as if a person had written them. */
const readBack = (source: string) =>
  chatToMarkdown({ text: '', blocks: toChat(source).flatMap((part) => part.blocks) }, names);

function countOf(type: string, value: unknown): number {
  return JSON.stringify(value).split(`"type":"${type}"`).length - 1;
}

function mentions(node: Nodes): number {
  const own = node.type === 'link' && node.url.startsWith('user:') ? 1 : 0;
  return 'children' in node ? node.children.reduce((sum, child) => sum + mentions(child), own) : own;
}

function keepsLimits(source: string): void {
  const parts = toChat(source);
  expect(parts.length).toBeGreaterThan(0);
  for (const { text: fallback, blocks } of parts) {
    expect(fallback.length).toBeLessThanOrEqual(PART_CHARACTERS);
    expect(fallback).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(BLOCKS_CHARACTERS);
    expect(checkBlocks(blocks)).toMatchObject({ ok: true });
    expect(countOf('broadcast', blocks) + countOf('usergroup', blocks) + countOf('channel', blocks)).toBe(0);
    for (const url of JSON.stringify(blocks).matchAll(/"url":"([^"]*)"/g))
      expect(url[1]).toMatch(/^(https?:|mailto:|tel:)/i);
  }
}

const squeezed = (words: string) => words.replaceAll(/\s+/g, '');

// A thousand documents on a busy machine take their time.
describe('P9 texts that cross', { timeout: 180_000 }, () => {
  test('P9 what a person writes in chat reads the same when the bridge posts it and reads it again', () => {
    fc.assert(
      fc.property(richText, (message) => {
        const first = chatToMarkdown(message, names);
        const second = readBack(first);
        expect(readBack(second)).toBe(second);
      }),
      options,
    );
  });

  test('P9 what an agent writes is stable after its first pass through chat', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const first = readBack(source);
        expect(readBack(first)).toBe(first);
      }),
      options,
    );
  });

  test('P9 no text exceeds a limit of Slack, and every post is one that Slack takes', () => {
    fc.assert(fc.property(markdown, keepsLimits), options);
  });

  test('P9 no words are lost on the way into a ticket', () => {
    fc.assert(
      fc.property(text, (words) => {
        const message = { text: '', blocks: [rich({ type: 'text', text: words })] };
        const shown = words
          .toWellFormed()
          .replaceAll('\0', '\uFFFD')

          .replaceAll(/[\u0001-\u001F\u007F-\u009F]/g, ' ');
        expect(squeezed(markdownWords(chatToMarkdown(message, names))).replaceAll(' ', '')).toBe(
          squeezed(shown),
        );
      }),
      options,
    );
  });

  test('P9 a ticket gets exactly the mentions that stood in chat', () => {
    fc.assert(
      fc.property(richText, (message) => {
        const { length } = [...JSON.stringify(message.blocks).matchAll(/"user_id":"U1"/g)];
        expect(mentions(parseMarkdown(chatToMarkdown(message, names)))).toBe(length);
      }),
      options,
    );
  });

  test('P9 chat gets exactly the mentions that a ticket has in the form for them', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const posted = countOf('user', toChat(source));
        expect(posted).toBeLessThanOrEqual(mentions(parseMarkdown(source)));
        if (posted > 0) expect(mentionedIn(source)).toContain('usr_1');
      }),
      options,
    );
  });

  test.each(TEXTS.map((words, at) => [at, words] as const))('P9 corpus %i', (_, words) => {
    keepsLimits(words);
    const first = readBack(words);
    expect(readBack(first)).toBe(first);
    const said = chatToMarkdown({ text: '', blocks: [rich({ type: 'text', text: words })] }, names);
    expect(mentions(parseMarkdown(said))).toBe(0);
    const code = chatToMarkdown({ text: '', blocks: [preformatted(words)] }, names);
    expect(readBack(code)).toBe(code);
  });

  test('P9 40,000 characters arrive whole, in parts that chat takes, and no character is cut', () => {
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

  test('P9 many styles in one text are split where their blocks grow too long', () => {
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

  test('P9 nesting that no person writes takes no time and stays text', () => {
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

function rich(...elements: object[]) {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

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
