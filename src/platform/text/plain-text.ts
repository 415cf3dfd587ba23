import type { Nodes, Parent } from 'mdast';

import { parseMarkdown } from './markdown.ts';
import { mentionOf } from './mentions.ts';

/**
 * Returns all words of a Markdown text as plain text, without any syntax: code blocks and the cells of tables too, the
 * address of a link after its label, a mention as the name. Blocks and cells are on lines of their own; styles within a
 * word leave it whole. Never throws.
 */
export function plainText(markdown: string): string {
  return linesOf(parseMarkdown(markdown))
    .map((line) => (typeof line === 'string' ? line : inlineText(line, SHOWN)))
    .join('\n');
}

/**
 * Returns what `plainText` returns, and behind it, for a search, the same lines again with what styles, code and links
 * divide read otherwise: `line~~struck~~end` is one word, and also `line`, `struck` and `end`; `[manual](…)s` is
 * `manual`, and also `manuals`.
 */
export function searchedText(markdown: string): string {
  const lines = linesOf(parseMarkdown(markdown));
  return [SHOWN, APART, JOINED]
    .flatMap((reading) =>
      lines.flatMap((line) => {
        if (typeof line === 'string') return reading === SHOWN ? [line] : [];
        return reading === SHOWN || isDivided(line) ? [inlineText(line, reading)] : [];
      }),
    )
    .join('\n');
}

/** Returns the lines of a tree, and the blocks whose text is one. */
function linesOf(node: Nodes): (string | Nodes)[] {
  switch (node.type) {
    case 'paragraph':
    case 'heading':
    case 'tableCell':
      return [node];
    case 'code':
      return [[node.lang, node.meta].filter(Boolean).join(' '), node.value];
    default:
      return 'children' in node ? node.children.flatMap(linesOf) : [node];
  }
}

function isDivided(line: Nodes): line is Nodes & Parent {
  return 'children' in line && line.children.length > 1;
}

/** How the text of a line is read: what is between its styles, and whether the addresses of links are a part of it. */
interface InlineReading {
  between: '' | ' ';
  hasAddresses: boolean;
}
const SHOWN: InlineReading = { between: '', hasAddresses: true };
const APART: InlineReading = { between: ' ', hasAddresses: false };
const JOINED: InlineReading = { between: '', hasAddresses: false };

function inlineText(node: Nodes, reading: InlineReading): string {
  if (node.type === 'break') return '\n';
  if (!('children' in node)) return 'value' in node ? node.value : '';
  const text = node.children
    .map((child, at) => {
      const next = node.children[at + 1];
      const endsAddress = child.type === 'link' && reading.hasAddresses && next !== undefined;
      const space = endsAddress && /^[^\s.,;:!?)\]]/.test(inlineText(next, reading)) ? ' ' : '';
      return inlineText(child, reading) + space;
    })
    .join(reading.between);
  if (node.type !== 'link' || mentionOf(node) !== undefined || !reading.hasAddresses) return text;
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
