import type { Nodes } from 'mdast';

import { parseMarkdown } from './markdown.ts';
import { mentionOf } from './mentions.ts';

/**
 * Returns all words of a Markdown text as plain text, without any syntax: code blocks and the cells of tables too, the
 * address of a link after its label, a mention as the name. Blocks and cells are on lines of their own; styles within a
 * word leave it whole. Never throws.
 */
export function plainText(markdown: string): string {
  const lines: string[] = [];
  collectLines(parseMarkdown(markdown), lines);
  return lines.join('\n');
}

function collectLines(node: Nodes, lines: string[]): void {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
    case 'tableCell':
      lines.push(inlineText(node));
      return;
    case 'code':
      lines.push([node.lang, node.meta].filter(Boolean).join(' '), node.value);
      return;
    default:
      if ('children' in node) for (const child of node.children) collectLines(child, lines);
      else lines.push(inlineText(node));
  }
}

function inlineText(node: Nodes): string {
  if (node.type === 'break') return '\n';
  if (!('children' in node)) return 'value' in node ? node.value : '';
  const text = node.children.map(inlineText).join('');
  if (node.type !== 'link' || mentionOf(node) !== undefined) return text;
  // Who searches for an address has seen it with its scheme or without.
  const address = [decoded(node.url), node.title ?? ''].filter((each) => each !== '' && each !== text);
  return address.length === 0 ? text : [text, ...address].join(' ');
}

/** Returns an address with the letters that its percent signs stand for, if they stand for letters. */
function decoded(url: string): string {
  const address = url.replace(/^(?:mailto|tel):/i, '');
  try {
    const readable = decodeURI(address);
    return readable === address ? address : `${address} ${readable}`;
  } catch {
    return address;
  }
}
