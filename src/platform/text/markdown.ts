import type { BlockContent, PhrasingContent, Root, RootContent } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';

import {
  needsPlainText,
  plainFromMarkdown,
  plainToMarkdown,
  plainWords,
  needsPlainMarkdown,
} from './budget.ts';
import { cleanText } from './clean.ts';
import { readMarkdown } from './read-markdown.ts';

export { wordsOf } from './read-markdown.ts';

/** No `@` needs an escape: only links are mentions. */
const WRITE = gfmToMarkdown({ tablePipeAlign: false }).extensions?.filter(
  (extension) => !extension.unsafe?.some(({ character }) => character === '@'),
) as Options[];

/**
 * Parses a ticket message's content (CommonMark with tables and strikethrough) into a simplified tree: HTML becomes
 * text, images become links, references are resolved. A text with more syntax than the budget allows becomes plain
 * text. Never throws.
 */
export function parseMarkdown(markdown: string): Root {
  const text = cleanText(markdown);
  if (!needsPlainText(text)) return readMarkdown(text);
  return { type: 'root', children: [paragraph([{ type: 'text', value: plainFromMarkdown(text) }])] };
}

/** Returns the tree of a text that may already have been parsed, so that each text is parsed once. */
export function treeOf(text: string | Root): Root {
  return typeof text === 'string' ? parseMarkdown(text) : text;
}

export function isBlock(node: RootContent): node is RootContent & BlockContent {
  return ['blockquote', 'code', 'heading', 'list', 'paragraph', 'table', 'thematicBreak'].includes(node.type);
}

/** Writes a tree as Markdown, with syntax characters in text nodes escaped. */
export function writeMarkdown(tree: Root): string {
  if (needsPlainMarkdown(tree)) return plainToMarkdown(plainWords(tree));
  return toMarkdown(tree, {
    extensions: WRITE,
    bullet: '-',
    emphasis: '_',
    rule: '-',
    listItemIndent: 'one',
    fences: true,
  }).trimEnd();
}

/** Returns one line of Markdown that shows exactly this text. */
export function escapeMarkdown(text: string): string {
  return writeMarkdown({
    type: 'root',
    children: [paragraph([{ type: 'text', value: text.replaceAll(/\s+/g, ' ') }])],
  });
}

function paragraph(children: PhrasingContent[]): RootContent {
  return { type: 'paragraph', children };
}
