import type { BlockContent, Nodes, PhrasingContent, Root, RootContent } from 'mdast';

import { addressesIn } from './addresses.ts';
import { needsPlainText, plainFromMarkdown } from './budget.ts';
import { cleanText } from './clean.ts';
import { readMarkdown } from './read-markdown.ts';
import { writeMarkdown } from './write-markdown.ts';

export { wordsOf } from './read-markdown.ts';
export { writeMarkdown } from './write-markdown.ts';

/**
 * Parses a ticket message's content (CommonMark with tables and strikethrough) into a simplified tree: HTML becomes
 * text, images become links, references are resolved. A text with more syntax than the budget allows becomes plain
 * text. Never throws.
 */
export function parseMarkdown(markdown: string): Root {
  const text = cleanText(markdown);
  if (needsPlainText(text)) return plainTree(plainFromMarkdown(text));
  const tree = readMarkdown(text);
  return showsAnything(tree) || text.trim() === '' ? tree : plainTree(text.trim());
}

/** Syntax alone (`#`, `>`, `-`, a definition) would be an empty message: it is shown as it was written. */
function showsAnything(node: Nodes): boolean {
  if (node.type === 'thematicBreak' || node.type === 'link') return true;
  if ('children' in node) return node.children.some(showsAnything);
  return 'value' in node && /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(node.value);
}

/** Returns a tree that shows exactly this text; its addresses are links. */
function plainTree(text: string): Root {
  const children: PhrasingContent[] = [];
  let last = 0;
  for (const { from, to, words, isLink } of addressesIn(text)) {
    if (!isLink) continue;
    children.push(
      { type: 'text', value: text.slice(last, from) },
      { type: 'link', url: words, children: [{ type: 'text', value: words }] },
    );
    last = to;
  }
  return { type: 'root', children: [paragraph([...children, { type: 'text', value: text.slice(last) }])] };
}

/** Returns the tree of a text that may already have been parsed, so that each text is parsed once. */
export function treeOf(text: string | Root): Root {
  return typeof text === 'string' ? parseMarkdown(text) : text;
}

export function isBlock(node: RootContent): node is RootContent & BlockContent {
  return ['blockquote', 'code', 'heading', 'list', 'paragraph', 'table', 'thematicBreak'].includes(node.type);
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
