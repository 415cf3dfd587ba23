import type { BlockContent, List, ListItem, Nodes, PhrasingContent, Root, RootContent } from 'mdast';

import { addressesIn } from '../../platform/text/addresses.ts';
import { parseMarkdown, wordsOf, writeMarkdown } from '../../platform/text/markdown.ts';
import { linksIn, mentionOf } from '../../platform/text/mentions.ts';
import { escapeMrkdwn, parseReference, unescapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { chatToMarkdown } from './from-chat.ts';
import { referenceInline } from './mrkdwn.ts';
import { type Names, plainOf } from './rich-text.ts';

/*
 * What people type in commands and windows, and what windows show them of a ticket's text. A window's field is plain
 * text: it shows and reads chat's own marks (`*bold*`, `_italic_`, `~gone~`, code, quotes, lists), never Markdown.
 */

/** Returns the Markdown of a typed text; the same as that of a message with these words. */
export function typedToMarkdown(escaped: string, names: Names): string {
  return chatToMarkdown({ text: escaped, blocks: [], typed: true }, names);
}

const NO_NAMES: Names = { user: () => undefined, channel: () => undefined };

/**
 * Returns a typed text as it looks: its marks as they are, its references by their names.
 * @param names those that were looked up; others are shown by the labels in the text, else by their ids.
 */
export function typedWords(escaped: string, names: Names = NO_NAMES): string {
  return escaped
    .split(/<([^<>\n]+)>/)
    .map((part, at) => (at % 2 === 0 ? unescapeMrkdwn(part) : referenceWords(part, names)))
    .join('');
}

function referenceWords(inner: string, names: Names): string {
  const [, sign = '', id = '', label = ''] = /^([@#])([A-Z0-9]+)(?:\|[@#]?(.*))?$/.exec(inner) ?? [];
  const isKnown = sign === '@' ? names.user(id) !== undefined : names.channel(id) !== undefined;
  return sign !== '' && label !== '' && !isKnown
    ? `${sign}${unescapeMrkdwn(label)}`
    : plainOf(referenceInline(parseReference(inner), undefined), names);
}

/** People by the words that stand for them in a window: `@Ben Ito`. */
type Mentions = ReadonlyMap<string, { token: string; name: string; userId: string }>;

/** Returns the people that a text mentions. */
function mentionsIn(tree: Root): Mentions {
  const mentions = new Map<string, { token: string; name: string; userId: string }>();
  for (const link of linksIn(tree)) {
    const userId = mentionOf(link);
    const label = wordsOf(link);
    if (userId !== undefined && label.startsWith('@') && !mentions.has(label))
      mentions.set(label, { token: `U${mentions.size}`, name: label.slice(1), userId });
  }
  return mentions;
}

/** Code, where nothing is a reference. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
/** A link with a label, as windows show it. */
const LABELLED = /<((?:https?:\/\/|mailto:)[^\s<>|]+(?:\|[^<>\n]+)?)>/;

/**
 * Returns the text of a window's field as chat would send it: escaped, with addresses and known people as references.
 * @param mentions may be written by their names.
 */
function escapeTyped(text: string, mentions: Mentions): string {
  const labels = [...mentions.keys()].toSorted((a, b) => b.length - a.length);
  const named = new RegExp(
    `(${labels.map((label) => label.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')})(?![\\p{L}\\p{N}_])`,
    'u',
  );
  const words = (plain: string) =>
    labels.length === 0
      ? escapeMrkdwn(plain)
      : plain
          .split(named)
          .map((part, at) => (at % 2 === 0 ? escapeMrkdwn(part) : `<@${mentions.get(part)?.token ?? ''}>`))
          .join('');
  const withAddresses = (plain: string) => {
    const parts: string[] = [];
    let last = 0;
    for (const address of addressesIn(plain).filter(({ isLink }) => isLink)) {
      parts.push(words(plain.slice(last, address.from)), `<${escapeMrkdwn(address.words)}>`);
      last = address.to;
    }
    return [...parts, words(plain.slice(last))].join('');
  };
  const withLinks = (plain: string) =>
    plain
      .split(LABELLED)
      .map((part, at) => (at % 2 === 0 ? withAddresses(part) : `<${escapeMrkdwn(part)}>`))
      .join('');
  return text
    .replaceAll('\r\n', '\n')
    .split(CODE)
    .map((part, at) => (at % 2 === 0 ? withLinks(part) : escapeMrkdwn(part)))
    .join('');
}

const NOBODY: Mentions = new Map();

/** Returns the Markdown of what was typed into a window's field. */
export function fieldToMarkdown(text: string, mentions: Mentions = NOBODY): string {
  const people = new Map([...mentions.values()].map((one) => [one.token, one]));
  return typedToMarkdown(escapeTyped(text, mentions), { ...NO_NAMES, user: (token) => people.get(token) });
}

/** Returns a text's Markdown as a window's field shows it. */
export function markdownToField(markdown: string): string {
  return typedPieces(parseMarkdown(markdown))
    .map(({ typed }) => typed)
    .join(BETWEEN);
}

const BETWEEN = '\n\n';

/**
 * Returns the Markdown of a text that was shown in a window's field and edited there. Only the blocks between the first
 * and the last change are read from the field; what chat's marks cannot say (tables, headings, nested quotes) stays in
 * all others.
 */
export function editedMarkdown(markdown: string, typed: string): string {
  const tree = parseMarkdown(markdown);
  const pieces = typedPieces(tree);
  let changed = typed.replaceAll('\r\n', '\n').trim();
  if (changed === markdownToField(markdown).trim()) return markdown;
  const before: RootContent[] = [];
  const after: RootContent[] = [];
  for (const piece of pieces) {
    if (!changed.startsWith(`${piece.typed}${BETWEEN}`)) break;
    before.push(piece.node);
    changed = changed.slice(piece.typed.length + BETWEEN.length);
  }
  for (const piece of pieces.slice(before.length).toReversed()) {
    if (!changed.endsWith(`${BETWEEN}${piece.typed}`)) break;
    after.unshift(piece.node);
    changed = changed.slice(0, -piece.typed.length - BETWEEN.length);
  }
  // All that is left of the text may be unchanged: then something was taken away before it.
  const same = pieces
    .slice(before.length, pieces.length - after.length)
    .find((piece) => piece.typed === changed);
  const between = same ? [same.node] : parseMarkdown(fieldToMarkdown(changed, mentionsIn(tree))).children;
  return writeMarkdown({ type: 'root', children: [...before, ...between, ...after] });
}

interface Piece {
  node: RootContent;
  typed: string;
}

function typedPieces(tree: Root): Piece[] {
  return tree.children
    .map((node) => ({ node, typed: blockText(node) }))
    .filter(({ typed }) => typed.trim() !== '');
}

function blockText(node: RootContent): string {
  switch (node.type) {
    case 'paragraph':
      return inlineText(node.children);
    case 'heading':
      return `*${inlineText(node.children)}*`;
    case 'code':
      return `\`\`\`\n${node.value}\n\`\`\``;
    case 'blockquote':
      return node.children.map(blockText).join('\n').replaceAll(/^/gm, '> ');
    case 'list':
      return listText(node, 0);
    case 'table':
      return node.children
        .map((row) => row.children.map((cell) => inlineText(cell.children)).join(' | '))
        .join('\n');
    case 'thematicBreak':
      return '———';
    default:
      return '';
  }
}

const INDENT = '    ';

function listText(list: List, depth: number): string {
  return list.children
    .map((item, at) => {
      const mark = list.ordered ? `${(list.start ?? 1) + at}.` : '•';
      const isNested = (child: BlockContent | Nodes): child is List => child.type === 'list';
      const own = item.children
        .filter((child) => !isNested(child))
        .map((child) => blockText(child as RootContent));
      const nested = item.children.filter(isNested).map((child) => listText(child, depth + 1));
      return [`${INDENT.repeat(depth)}${mark} ${boxOf(item)}${own.join('\n')}`, ...nested].join('\n');
    })
    .join('\n');
}

function boxOf({ checked }: ListItem): string {
  if (typeof checked !== 'boolean') return '';
  return checked ? '☑ ' : '☐ ';
}

function inlineText(nodes: readonly PhrasingContent[]): string {
  return nodes
    .map((node) => {
      switch (node.type) {
        case 'text':
          return node.value;
        case 'strong':
          return `*${inlineText(node.children)}*`;
        case 'emphasis':
          return `_${inlineText(node.children)}_`;
        case 'delete':
          return `~${inlineText(node.children)}~`;
        case 'inlineCode':
          return `\`${node.value}\``;
        case 'break':
          return '\n';
        case 'link': {
          const label = wordsOf(node).replaceAll(/\s+/g, ' ').trim();
          const isPlain =
            mentionOf(node) !== undefined || label === node.url || `mailto:${label}` === node.url;
          return isPlain ? label : `<${node.url}|${label}>`;
        }
        default:
          return '';
      }
    })
    .join('');
}
