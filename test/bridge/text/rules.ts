import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { expect, test } from 'vitest';

import { chatToMarkdown } from '../../../src/bridge/text/from-chat.ts';
import { isBlank, trimmed } from '../../../src/contract/index.ts';
import { parseMarkdown } from '../../../src/platform/text/markdown.ts';
import { Inline, plainOf } from '../../../src/bridge/text/rich-text.ts';
import {
  addressText,
  cleanText,
  encodedUrl,
  isLinkable,
  shownUrl,
} from '../../../src/platform/text/clean.ts';
import { emojiSign } from '../../../src/platform/text/emoji.ts';
import { shownLabel } from '../../../src/platform/text/link-label.ts';
import { BLOCKS_CHARACTERS, PART_CHARACTERS } from '../../../src/bridge/text/split.ts';
import { markdownToChat, markdownWords } from '../../../src/bridge/text/to-chat.ts';
import { mentionedIn } from '../../../src/platform/text/mentions.ts';
import { checkBlocks } from '../../../src/sandbox/blocks/check.ts';
import { chatUserOf, markdown, names, richText, text } from './documents.ts';

export const toChat = (source: string) => markdownToChat(source, chatUserOf);
/** The posts of a text as Markdown, read as if a person had written them. */
export const readBack = (source: string) =>
  chatToMarkdown({ text: '', blocks: toChat(source).flatMap((part) => part.blocks) }, names);

function countOf(type: string, value: unknown): number {
  return JSON.stringify(value).split(`"type":"${type}"`).length - 1;
}

export function mentions(node: Nodes): number {
  const own = node.type === 'link' && node.url.startsWith('user:') ? 1 : 0;
  return 'children' in node ? node.children.reduce((sum, child) => sum + mentions(child), own) : own;
}

export function keepsLimits(source: string): void {
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

export const squeezed = (words: string) => words.replaceAll(/\s+/g, '');

/** The words that chat shows of blocks. */
export function textsIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  if ('url' in value && !('text' in value)) return String(value.url);
  return Object.entries(value)
    .map(([key, part]: [string, unknown]) =>
      key === 'text' && typeof part === 'string' ? part : textsIn(part),
    )
    .join('');
}

/** What blocks say: their words without white space, list marks and styles; where their links lead; and their code. */
function partsOf(blocks: readonly unknown[]) {
  const parts = { words: '', links: [] as string[], mentions: [] as string[] };
  const add = (value: unknown): void => {
    const inline = Inline.safeParse(value).data;
    if (inline?.type === 'user' && names.user(inline.user_id)?.userId) parts.mentions.push(inline.user_id);
    else if (inline?.type === 'link' && isLinkable(encodedUrl(inline.url))) {
      const url = encodedUrl(cleanText(inline.url));
      // An address in a text is a link in chat, too.
      const label = trimmed(cleanText(inline.text ?? '')) || shownUrl(url);
      if (label !== url && label !== shownUrl(url)) parts.links.push(url);
      parts.words += shownLabel(url, label.replaceAll(/\s+/g, ' '));
    } else if (inline?.type === 'link')
      parts.words += addressText(cleanText(inline.url), cleanText(inline.text ?? ''));
    else if (inline) parts.words += plainOf(inline, names);
    else if (Array.isArray(value)) for (const each of value) add(each);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) add(each);
  };
  add(blocks);
  return { ...parts, words: withAllSigns(squeezed(parts.words)).replaceAll(UNSEEN, '') };
}

/** A paragraph of them alone is not posted; that they stay within words is a property of its own. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]+/gu;

/**
 * Replaces the emoji names in words with their signs, also beside letters: a name that stands alone in its style is an
 * emoji, and the style may be lost.
 */
function withAllSigns(words: string): string {
  return words
    .replaceAll(/:([a-z0-9_+-]{1,50}(?:::skin-tone-[2-6])?)(?=:)/g, (shown, name: string) =>
      emojiSign(name) === `:${name}:` ? shown : `${emojiSign(name)}\0`,
    )
    .replaceAll('\0:', '');
}

export function rich(...elements: object[]) {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** Properties of every text, in either direction, tried with `runs` texts. */
export function testTexts(options: { numRuns: number; seed: number }): void {
  test('P9 a person’s text from chat stays the same when the bridge posts it and reads it again', () => {
    fc.assert(
      fc.property(richText, (message) => {
        const first = chatToMarkdown(message, names);
        const second = readBack(first);
        expect(readBack(second)).toBe(second);
      }),
      options,
    );
  });

  test('P9 an agent’s text is stable after its first pass through chat', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const first = readBack(source);
        expect(readBack(first)).toBe(first);
      }),
      options,
    );
  });

  test('P9 no text exceeds a limit of Slack, and Slack accepts every post', () => {
    fc.assert(fc.property(markdown, keepsLimits), options);
  });

  test('P9 no words are lost on the way to a ticket', () => {
    fc.assert(
      fc.property(text, (words) => {
        fc.pre(!isBlank(words));
        const message = { text: '', blocks: [rich({ type: 'text', text: words })] };
        const shown = words
          .toWellFormed()
          .replaceAll(/\0|\p{Noncharacter_Code_Point}/gu, '\uFFFD')
          .replaceAll(/[\u0001-\u001F\u007F-\u009F]/g, ' ');
        expect(squeezed(markdownWords(chatToMarkdown(message, names))).replaceAll(' ', '')).toBe(
          squeezed(shown),
        );
      }),
      options,
    );
  });

  test('P9 a chat message keeps its words, links and code on its way to a ticket and back', () => {
    fc.assert(
      fc.property(richText, (message) => {
        // A message that says nothing is not forwarded.
        fc.pre(!isBlank(partsOf(message.blocks).words));
        const stored = chatToMarkdown(message, names);
        const shown = toChat(stored).flatMap(({ blocks }) => blocks);
        expect(partsOf(shown)).toEqual(partsOf(message.blocks));
      }),
      options,
    );
  });

  test('P9 a ticket’s text keeps its words, links and code on its way to chat and back', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const shown = toChat(source).flatMap(({ blocks }) => blocks);
        const again = toChat(chatToMarkdown({ text: '', blocks: shown }, names)).flatMap(
          ({ blocks }) => blocks,
        );
        expect(partsOf(again)).toEqual(partsOf(shown));
      }),
      options,
    );
  });

  test('P9 a ticket gets exactly the mentions of the chat message', () => {
    fc.assert(
      fc.property(richText, (message) => {
        const { length } = [...JSON.stringify(message.blocks).matchAll(/"user_id":"U1"/g)];
        expect(mentions(parseMarkdown(chatToMarkdown(message, names)))).toBe(length);
      }),
      options,
    );
  });

  test('P9 chat gets exactly the ticket’s mentions that have the mention form', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const posted = countOf('user', toChat(source));
        expect(posted).toBeLessThanOrEqual(mentions(parseMarkdown(source)));
        if (posted > 0) expect(mentionedIn(source)).toContain('usr_1');
      }),
      options,
    );
  });
}
