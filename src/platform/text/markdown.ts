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

/** No `@` needs an escape: only links mention. */
const WRITE = gfmToMarkdown({ tablePipeAlign: false }).extensions?.filter(
  (extension) => !extension.unsafe?.some(({ character }) => character === '@'),
) as Options[];

/**
 * The syntax tree of a ticket message's content (CommonMark with tables and strikethrough), made simpler: HTML is text,
 * an image is a link, references are what they refer to. A text with more syntax than the budget allows is plain text.
 * Never throws.
 */
export function parseMarkdown(markdown: string): Root {
  const text = cleanText(markdown);
  if (!needsPlainText(text)) return readMarkdown(text);
  return { type: 'root', children: [paragraph([{ type: 'text', value: plainFromMarkdown(text) }])] };
}

/** The tree of a text that may have been parsed already: one text is parsed once, however often it is looked at. */
export function treeOf(text: string | Root): Root {
  return typeof text === 'string' ? parseMarkdown(text) : text;
}

export function isBlock(node: RootContent): node is RootContent & BlockContent {
  return ['blockquote', 'code', 'heading', 'list', 'paragraph', 'table', 'thematicBreak'].includes(node.type);
}

/** Markdown of a tree; what would be syntax in a text node is escaped, so text stays text. */
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

/** Text as Markdown that says just this text, on one line. */
export function escapeMarkdown(text: string): string {
  return writeMarkdown({
    type: 'root',
    children: [paragraph([{ type: 'text', value: text.replaceAll(/\s+/g, ' ') }])],
  });
}

function paragraph(children: PhrasingContent[]): RootContent {
  return { type: 'paragraph', children };
}
