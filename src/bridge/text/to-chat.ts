import type { BlockContent, Link, List, ListItem, PhrasingContent, Root, RootContent, Table } from 'mdast';

import { cut, isBlank as isBlankText } from '../../contract/index.ts';
import { addressText, isLinkable } from '../../platform/text/clean.ts';
import { withSigns } from '../../platform/text/emoji.ts';
import { endingOf } from '../../platform/text/file-ending.ts';
import { shownLabel } from '../../platform/text/link-label.ts';
import { TASK } from './from-blocks.ts';
import { isBlock, parseMarkdown, treeOf, wordsOf } from '../../platform/text/markdown.ts';
import { linksIn, mentionOf } from '../../platform/text/mentions.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { labelOf } from './label.ts';
import {
  type Element,
  type Inline,
  joinedTexts,
  type ListElement,
  type RichTextBlock,
  sectionOf,
  type Style,
  textElement,
} from './rich-text.ts';
import { PART_CHARACTERS, plainText, split } from './split.ts';

export { PART_CHARACTERS } from './split.ts';

interface ChatPart {
  /** The text for notifications and screen readers; escaped, so it cannot mention or inject. */
  text: string;
  blocks: [RichTextBlock];
}

/**
 * Converts a ticket message's Markdown to chat messages, in order; at least one. Only `[@Name](user:usr_…)` becomes a
 * mention, and only if `chatUserOf` knows the user; groups and broadcasts stay text (B19).
 */
export function markdownToChat(
  markdown: string | Root,
  chatUserOf: (userId: string) => string | undefined,
): ChatPart[] {
  const elements = treeOf(markdown)
    .children.flatMap((node) => elementsOf(node, { chatUserOf, indent: 0 }))
    // Empty elements do not come back from Slack, and would only separate two lists.
    .filter((element) => element.type === 'rich_text_list' || !isBlank(element.elements));
  return split(elements).map((some) => {
    const shown: Element[] = some.length > 0 ? some : [sectionOf([])];
    return { text: fallbackOf(shown), blocks: [{ type: 'rich_text', elements: spaced(shown) }] };
  });
}

/** Returns a text's Markdown as a quote in chat, split like `markdownToChat`, without mentions. */
export function quoteInChat(markdown: string): ChatPart[] {
  const children = parseMarkdown(markdown).children.filter(isBlock);
  return markdownToChat({ type: 'root', children: [{ type: 'blockquote', children }] }, () => undefined);
}

/** Returns plain text for titles. */
export function markdownWords(markdown: string | Root): string {
  return wordsOf(treeOf(markdown)).replaceAll(/\s+/g, ' ').trim();
}

/** Returns plain text on one line, to be quoted; the items of a list stay apart. */
export function markdownExcerpt(markdown: string | Root): string {
  return wordsOf(treeOf(markdown), '; ').replaceAll(/\s+/g, ' ').trim();
}

/** Escapes a text and shortens it to a length that counts the escapes, with an ellipsis; no escape is cut. */
export function escapeShort(text: string, length: number): string {
  const escaped = escapeMrkdwn(text);
  if (escaped.length <= length) return escaped;
  let room = length - 1;
  let at = 0;
  for (; at < text.length; at += 1) {
    room -= ESCAPED[text.charAt(at)] ?? 1;
    if (room < 0) break;
  }
  return `${escapeMrkdwn(cut(text, at))}…`;
}

/** The lengths of escapes. */
const ESCAPED: Record<string, number> = { '&': 5, '<': 4, '>': 4 };

/** The blocks contain the text; only the fallback is cut if escaping makes it too long to edit. */
function fallbackOf(elements: readonly Element[]): string {
  return escapeShort(plainText(elements), PART_CHARACTERS);
}

interface Context {
  chatUserOf: (userId: string) => string | undefined;
  indent: number;
}

function elementsOf(node: RootContent, context: Context): Element[] {
  switch (node.type) {
    case 'paragraph':
      return [sectionOf(inlinesOf(node.children, context))];
    case 'heading':
      return [sectionOf(inlinesOf(node.children, context, { bold: true }))];
    case 'code':
      return [{ type: 'rich_text_preformatted', elements: [textElement(node.value || ' ')] }];
    case 'blockquote': {
      const { elements } = sectionOf(joinBlocks(node.children, context));
      return [{ type: 'rich_text_quote', elements }];
    }
    case 'list':
      return listElements(node, context);
    case 'table':
      if (linksIn(node).length > 0) return [sectionOf(rowsOf(node, context))];
      return [{ type: 'rich_text_preformatted', elements: [textElement(tableText(node) || ' ')] }];
    case 'thematicBreak':
      return [sectionOf([textElement('———')])];
    default:
      return [];
  }
}

function isBlank(inlines: readonly Inline[]): boolean {
  return inlines.every((inline) => inline.type === 'text' && isBlankText(inline.text));
}

/** Joins blocks to one text, for places without blocks: a quote, a list item. */
function joinBlocks(nodes: readonly RootContent[], context: Context): Inline[] {
  return nodes.flatMap((node, at) => {
    const twoParagraphs = node.type === 'paragraph' && nodes[at - 1]?.type === 'paragraph';
    return [...(at > 0 ? [textElement(twoParagraphs ? '\n\n' : '\n')] : []), ...flat(node, context)];
  });
}

function flat(node: RootContent, context: Context): Inline[] {
  switch (node.type) {
    case 'paragraph':
      return inlinesOf(node.children, context);
    case 'heading':
      return inlinesOf(node.children, context, { bold: true });
    case 'code':
      return [textElement(node.value, { code: true })];
    case 'table':
      if (linksIn(node).length > 0) return rowsOf(node, context);
      return [textElement(tableText(node), { code: true })];
    case 'blockquote':
      return joinBlocks(node.children, context);
    case 'list':
      return node.children.flatMap((item, at) => {
        const mark = node.ordered ? `${(node.start ?? 1) + at}. ` : '• ';
        const inner = joinBlocks(item.children, { ...context, indent: context.indent + 1 });
        const indent = '  '.repeat(context.indent);
        return [textElement(`${at > 0 ? '\n' : ''}${indent}${mark}${checkbox(item)}`), ...inner];
      });
    default:
      return elementsOf(node, context).flatMap((element) =>
        element.type === 'rich_text_list' ? [] : element.elements,
      );
  }
}

/** Slack allows no deeper list (imryche/blockkit pull 123, tested in Slack's Block Kit Builder). */
const DEEPEST_INDENT = 8;

function listElements(list: List, context: Context): Element[] {
  const result: Element[] = [];
  const nestedIn = { ...context, indent: Math.min(context.indent + 1, DEEPEST_INDENT) };
  let open: ListElement | undefined;
  list.children.forEach((item, at) => {
    const own = item.children.filter((child) => child.type !== 'list');
    const nested = item.children.filter((child) => child.type === 'list');
    const number = (list.start ?? 1) + at;
    if (!open) {
      open = {
        type: 'rich_text_list',
        style: list.ordered ? 'ordered' : 'bullet',
        indent: context.indent,
        ...(list.ordered && number > 1 ? { offset: number - 1 } : {}),
        elements: [],
      };
      result.push(open);
    }
    const box = checkbox(item);
    const words = joinBlocks(own, context);
    open.elements.push(sectionOf(box ? [textElement(box), ...words] : words));
    if (nested.length > 0) {
      result.push(...nested.flatMap((child: BlockContent & List) => listElements(child, nestedIn)));
      open = undefined;
    }
  });
  return result;
}

function checkbox({ checked }: ListItem): string {
  if (checked === true) return TASK.done;
  return checked === false ? TASK.open : '';
}

function inlinesOf(nodes: readonly PhrasingContent[], context: Context, style?: Style): Inline[] {
  // An emoji's name may span texts of one style.
  return joinedTexts(styledInlines(nodes, context, style)).map((inline) =>
    inline.type === 'text' && !inline.style?.code ? { ...inline, text: withSigns(inline.text) } : inline,
  );
}

function styledInlines(nodes: readonly PhrasingContent[], context: Context, style?: Style): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    switch (node.type) {
      case 'text':
        return [textElement(node.value, style)];
      case 'strong':
        return styledInlines(node.children, context, { ...style, bold: true });
      case 'emphasis':
        return styledInlines(node.children, context, { ...style, italic: true });
      case 'delete':
        return styledInlines(node.children, context, { ...style, strike: true });
      case 'inlineCode':
        return [textElement(node.value, { ...style, code: true })];
      case 'break':
        return [textElement('\n')];
      case 'link':
        return linkOf(node, context, style);
      default:
        return [];
    }
  });
}

/** A longer label is text: a link cannot be split into parts. */
const LABEL_CHARACTERS = 1_000;

function linkOf(node: Link, { chatUserOf }: Context, style: Style): Inline[] {
  const label = labelOf(wordsOf(node));
  const id = mentionOf(node);
  if (id !== undefined) {
    const user = chatUserOf(id);
    return [user ? { type: 'user', user_id: user, style } : textElement(label, style)];
  }
  if (!isLinkable(node.url) || label.length > LABEL_CHARACTERS)
    return [textElement(addressText(node.url, label), style)];
  const isBare = label === '' || label === node.url;
  const shown = shownLabel(node.url, isBare ? node.url : withSigns(label));
  return [{ type: 'link', url: node.url, ...(shown === node.url ? {} : { text: shown }), style }];
}

/** Slack allows one table per message, outside its text: ours are text in columns. */
function tableText(table: Table): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => withSigns(wordsOf(cell)).replaceAll(/\s+/g, ' ').trim()),
  );
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      widths
        .map((width, column) => (row[column] ?? '').padEnd(width))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Code cannot contain links or mentions, so a table with some becomes lines of text with a bold head. */
function rowsOf(table: Table, context: Context): Inline[] {
  return table.children.flatMap((row, at) => {
    const style = at === 0 ? { bold: true } : undefined;
    const cells = row.children.flatMap((cell, column) => [
      ...(column > 0 ? [textElement(' | ', style)] : []),
      ...inlinesOf(cell.children, context, style),
    ]);
    return at > 0 ? [textElement('\n'), ...cells] : cells;
  });
}

/** Slack draws two sections without a gap: an empty line between blocks separates paragraphs. */
function spaced(elements: readonly Element[]): Element[] {
  return elements.flatMap((element, index) => {
    const previous = elements[index - 1];
    return previous?.type === 'rich_text_section' && element.type === 'rich_text_section'
      ? [{ ...element, elements: [textElement('\n'), ...element.elements] }]
      : [element];
  });
}

export interface Image {
  /** An http or https URL. */
  url: string;
  /** Its alternative text; may be empty. */
  alt: string;
}

/** Returns the images of a text, each URL once, in order. */
export function imagesIn(markdown: string | Root): Image[] {
  const images = new Map<string, Image>();
  for (const link of linksIn(treeOf(markdown))) {
    if (!link.data?.image || !/^https?:/i.test(link.url) || images.has(link.url)) continue;
    const alt = wordsOf(link).replaceAll(/\s+/g, ' ').trim();
    images.set(link.url, { url: link.url, alt: alt === link.url ? '' : alt });
  }
  return [...images.values()];
}

const NAME_CHARACTERS = 100;

/**
 * Returns a file name for a URL: the end of its path. Without an extension, its content type adds one.
 * @param contentType as in the header; empty if not yet known.
 */
export function fileNameOf(url: string, contentType: string): string {
  const last = URL.parse(url)?.pathname.split('/').findLast(Boolean) ?? '';
  const name = decoded(last)
    .replaceAll(/[\p{C}/\\<>:"|?*]+/gu, '_')
    .slice(-NAME_CHARACTERS)
    .toWellFormed();
  const base = name === '' ? 'file' : name;
  return /\.[a-z0-9]{1,8}$/i.test(base) ? base : base + endingOf(contentType);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
