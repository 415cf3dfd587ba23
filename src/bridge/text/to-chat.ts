import type { List, Nodes, PhrasingContent, RootContent, Table } from 'mdast';

import { parseMarkdown } from './markdown.ts';
import type { Element, Inline, RichTextBlock, Style } from './rich-text.ts';

/** One chat message's worth of a text. */
export interface ChatPart {
  /** What notifications and screen readers get; escaped, so it can neither ping nor inject. */
  text: string;
  blocks: [RichTextBlock];
}

/** Characters of one part: a longer post cannot be edited later (B20). */
export const PART_CHARACTERS = 3_900;

/**
 * A ticket message's Markdown as chat messages, in order; always at least one. Only `[@Name](user:usr_…)` becomes a
 * mention, and only where `chatUserOf` knows the person; groups and broadcasts stay text (B19).
 */
export function markdownToChat(
  markdown: string,
  chatUserOf: (userId: string) => string | undefined,
): ChatPart[] {
  const elements = isTooDeep(markdown)
    ? [section([textOf(markdown)])]
    : parseMarkdown(markdown).children.flatMap((node) => elementsOf(node, { chatUserOf, indent: 0 }));
  const parts: Element[][] = [[]];
  let size = 0;
  for (const element of elements.flatMap(splitLong)) {
    const length = plainText([element]).length;
    if (size > 0 && size + length > PART_CHARACTERS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(element);
    size += length;
  }
  return parts.map((some) => {
    const shown: Element[] = some.length > 0 ? some : [section([textOf(' ')])];
    return { text: fallbackOf(shown), blocks: [{ type: 'rich_text', elements: spaced(shown) }] };
  });
}

/** Nesting that no person writes, and that takes a parser seconds or its whole stack: such a text is shown as it is. */
function isTooDeep(markdown: string): boolean {
  return /(?:[>*+\-][ \t]*){40}|(?:\d{1,9}[.)][ \t]+){40}|[[(_*~!]{200}|^[ \t]{160,}[-*+\d]/m.test(markdown);
}

/** The blocks carry the text; what escaping makes longer than chat lets us edit is cut in the fallback only. */
function fallbackOf(elements: readonly Element[]): string {
  const text = escapeChat(plainText(elements));
  return text.length <= PART_CHARACTERS
    ? text
    : `${text.slice(0, PART_CHARACTERS - 1).replace(/&[a-z]*$/, '')}…`;
}

/** Ids of the users a text mentions, so that their chat ids can be looked up first. */
export function mentionedIn(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(/\]\(user:([^)\s]+)\)/g)].map(([, id = '']) => id))];
}

/** `&`, `<` and `>` are all the syntax that chat's text has (https://docs.slack.dev/messaging/formatting-message-text). */
export function escapeChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Context {
  chatUserOf: (userId: string) => string | undefined;
  indent: number;
}

function elementsOf(node: RootContent, context: Context): Element[] {
  switch (node.type) {
    case 'paragraph':
      return [section(inlinesOf(node.children, context))];
    case 'heading':
      return [section(inlinesOf(node.children, context, { bold: true }))];
    case 'code':
      return [{ type: 'rich_text_preformatted', elements: [textOf(node.value || ' ')] }];
    case 'blockquote':
      return [
        {
          type: 'rich_text_quote',
          elements: joined(node.children.map((child) => flatInlines(child, context))),
        },
      ];
    case 'list':
      return listElements(node, context);
    case 'table':
      return [{ type: 'rich_text_preformatted', elements: [textOf(tableText(node, context))] }];
    case 'thematicBreak':
      return [section([textOf('———')])];
    case 'html':
      return [section([textOf(node.value)])];
    case 'definition':
    case 'footnoteDefinition':
    case 'yaml':
      return [];
    default:
      return [section(flatInlines(node, context))];
  }
}

/** Everything of a block as one line of inlines, for places that hold no blocks (a quote, a list item). */
function flatInlines(node: RootContent, context: Context): Inline[] {
  if (node.type === 'paragraph' || node.type === 'heading') return inlinesOf(node.children, context);
  return joined(
    elementsOf(node, context).map((element) =>
      element.type === 'rich_text_list'
        ? joined(
            element.elements.map((item) => [
              textOf(`${'  '.repeat(element.indent ?? 0)}• `),
              ...item.elements,
            ]),
          )
        : element.elements,
    ),
  );
}

function listElements(list: List, context: Context): Element[] {
  const style = list.ordered ? 'ordered' : 'bullet';
  const result: Element[] = [];
  let number = list.start ?? 1;
  let open: Extract<Element, { type: 'rich_text_list' }> | undefined;
  for (const item of list.children) {
    const own: Inline[][] = [];
    const nested: Element[] = [];
    for (const child of item.children) {
      if (child.type === 'list')
        nested.push(...listElements(child, { ...context, indent: context.indent + 1 }));
      else own.push(flatInlines(child, context));
    }
    const mark = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : '';
    const elements = joined(own);
    if (!open) {
      open = {
        type: 'rich_text_list',
        style,
        indent: context.indent,
        elements: [],
        ...(number > 1 && list.ordered ? { offset: number - 1 } : {}),
      };
      result.push(open);
    }
    open.elements.push({
      type: 'rich_text_section',
      elements: mark ? [textOf(mark), ...elements] : elements.length > 0 ? elements : [textOf(' ')],
    });
    number += 1;
    if (nested.length > 0) {
      result.push(...nested);
      open = undefined;
    }
  }
  return result;
}

function inlinesOf(nodes: readonly PhrasingContent[], context: Context, style?: Style): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    switch (node.type) {
      case 'text':
        return [textOf(node.value, style)];
      case 'strong':
        return inlinesOf(node.children, context, { ...style, bold: true });
      case 'emphasis':
        return inlinesOf(node.children, context, { ...style, italic: true });
      case 'delete':
        return inlinesOf(node.children, context, { ...style, strike: true });
      case 'inlineCode':
        return [textOf(node.value, { ...style, code: true })];
      case 'break':
        return [textOf('\n')];
      case 'link':
        return linkOf(node.url, plainText([section(inlinesOf(node.children, context))]), context, style);
      case 'image':
        return linkOf(node.url, node.alt || node.url, context, style);
      case 'html':
        return [textOf(node.value, style)];
      case 'footnoteReference':
        return [textOf(`[${node.label ?? node.identifier}]`, style)];
      case 'linkReference':
        return inlinesOf(node.children, context, style);
      case 'imageReference':
        return [textOf(node.alt ?? node.identifier, style)];
      default:
        return [];
    }
  });
}

/** A longer address is text: it could not be split into parts. */
const LINK_CHARACTERS = 2_000;
const LINKABLE = /^(https?|mailto|tel):/i;

function linkOf(url: string, label: string, { chatUserOf }: Context, style: Style): Inline[] {
  if (url.startsWith('user:')) {
    const chatUser = chatUserOf(url.slice('user:'.length));
    return [chatUser ? { type: 'user', user_id: chatUser, style } : textOf(label, style)];
  }
  if (!LINKABLE.test(url) || url.length > LINK_CHARACTERS)
    return [textOf(label === url ? url : `${label} (${url})`, style)];
  return [{ type: 'link', url, ...(label && label !== url ? { text: label } : {}), style }];
}

function tableText(table: Table, context: Context): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => plainText([section(inlinesOf(cell.children, context))])),
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

function section(inlines: Inline[]): Element {
  const elements = inlines.filter((inline) => inline.type !== 'text' || inline.text !== '');
  return { type: 'rich_text_section', elements: elements.length > 0 ? elements : [textOf(' ')] };
}

function textOf(text: string, style?: Style): Inline {
  return style && Object.values(style).some(Boolean)
    ? { type: 'text', text, style }
    : { type: 'text', text, style: undefined };
}

function joined(groups: readonly Inline[][]): Inline[] {
  return groups.flatMap((group, index) => (index > 0 ? [textOf('\n'), ...group] : group));
}

/** Chat draws two sections without a gap: an empty line between blocks keeps paragraphs apart. */
function spaced(elements: readonly Element[]): Element[] {
  return elements.flatMap((element, index) => {
    const previous = elements[index - 1];
    return previous?.type === 'rich_text_section' && element.type === 'rich_text_section'
      ? [{ ...element, elements: [textOf('\n'), ...element.elements] }]
      : [element];
  });
}

function plainText(elements: readonly Element[]): string {
  return elements
    .map((element) =>
      element.type === 'rich_text_list'
        ? element.elements.map((item) => `• ${inlineText(item.elements)}`).join('\n')
        : inlineText(element.elements),
    )
    .join('\n');
}

function inlineText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.type === 'text') return inline.text;
      if (inline.type === 'link') return inline.text ?? inline.url;
      return inline.type === 'user' ? '@someone' : '';
    })
    .join('');
}

/** An element that alone is too long for a part is cut, at a line or a word where there is one. */
function splitLong(element: Element): Element[] {
  if (plainText([element]).length <= PART_CHARACTERS) return [element];
  if (element.type === 'rich_text_list')
    return element.elements.flatMap((item) => {
      const fits = inlineText(item.elements).length + 2 <= PART_CHARACTERS;
      return fits ? [{ ...element, elements: [item] }] : splitLong(section(item.elements));
    });
  const pieces: Inline[][] = [[]];
  let size = 0;
  for (const inline of element.elements) {
    let rest: Inline | undefined = inline;
    while (rest) {
      const length = inlineText([rest]).length;
      if (size + length <= PART_CHARACTERS || rest.type !== 'text') {
        if (size > 0 && size + length > PART_CHARACTERS) {
          pieces.push([]);
          size = 0;
        }
        pieces.at(-1)?.push(rest);
        size += length;
        rest = undefined;
      } else {
        const at = cutAt(rest.text, PART_CHARACTERS - size);
        if (at > 0) pieces.at(-1)?.push({ ...rest, text: rest.text.slice(0, at) });
        rest = { ...rest, text: rest.text.slice(at) };
        pieces.push([]);
        size = 0;
      }
    }
  }
  return pieces.filter((piece) => piece.length > 0).map((elements) => ({ ...element, elements }));
}

/** Where to cut a text so that at most `room` characters stand before: after a line, else a word, else a whole character. */
function cutAt(text: string, room: number): number {
  const window = text.slice(0, room);
  const line = window.lastIndexOf('\n');
  if (line > room / 2) return line + 1;
  const word = window.lastIndexOf(' ');
  if (word > room / 2) return word + 1;
  const last = window.charCodeAt(room - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? room - 1 : room;
}

/** For a tree's plain text (titles): the words without the syntax. */
export function markdownWords(markdown: string): string {
  return wordsOf(parseMarkdown(markdown)).replaceAll(/\s+/g, ' ').trim();
}

function wordsOf(node: Nodes): string {
  if ('children' in node) {
    const block =
      node.type === 'root' || node.type === 'list' || node.type === 'blockquote' || node.type === 'listItem';
    return node.children.map(wordsOf).join(block ? '\n' : '');
  }
  if (node.type === 'break') return '\n';
  return 'value' in node ? node.value : '';
}
