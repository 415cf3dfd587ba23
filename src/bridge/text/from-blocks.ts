import type { BlockContent, List, ListItem, PhrasingContent, Root, RootContent, TableRow } from 'mdast';
import { z } from 'zod';

import {
  type Names,
  paragraphs,
  plainOf,
  type Element,
  type Inline,
  type ListElement,
  RichText,
} from './rich-text.ts';
import { addressText, cleanText, encodedUrl, isLinkable, shownUrl } from '../../platform/text/clean.ts';
import { parseMarkdown, wordsOf } from '../../platform/text/markdown.ts';
import { labelOf } from './label.ts';
import { mrkdwnElements, mrkdwnInlines } from './mrkdwn.ts';

/** Returns Slack's rich text as Markdown blocks. */
export function richTextNodes(elements: readonly Element[], names: Names): BlockContent[] {
  return elements.flatMap((element, at) => inlineNodes(element, elements, at, names));
}

function inlineNodes(element: Element, all: readonly Element[], at: number, names: Names): BlockContent[] {
  switch (element.type) {
    case 'rich_text_section':
      return paragraphs(element.elements, names);
    case 'rich_text_preformatted': {
      const value = element.elements.map((inline) => plainOf(inline, names)).join('');
      return value.trim() === '' ? [] : [{ type: 'code', value }];
    }
    case 'rich_text_quote': {
      const children = paragraphs(element.elements, names);
      return children.length > 0 ? [{ type: 'blockquote', children }] : [];
    }
    case 'rich_text_list': {
      // Slack's nested lists are sibling lists with a growing indent: consecutive siblings become one tree.
      if (all[at - 1]?.type === 'rich_text_list') return [];
      const run = all.slice(at);
      const end = run.findIndex((sibling) => sibling.type !== 'rich_text_list');
      const lists = run.slice(0, end === -1 ? undefined : end);
      return listTree(
        lists.filter((sibling) => sibling.type === 'rich_text_list'),
        names,
      );
    }
  }
}

function listTree(run: readonly ListElement[], names: Names): List[] {
  const roots: List[] = [];
  const open: { indent: number; list: List }[] = [];
  for (const element of run) {
    const indent = element.indent ?? 0;
    while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
    const ordered = element.style === 'ordered';
    const current = open.at(-1);
    let list = current?.indent === indent && current.list.ordered === ordered ? current.list : undefined;
    if (!list) {
      if (current?.indent === indent) open.pop();
      list = {
        type: 'list',
        ordered,
        spread: false,
        start: ordered ? (element.offset ?? 0) + 1 : null,
        children: [],
      };
      const parent = open.at(-1)?.list.children.at(-1);
      if (parent) parent.children.push(list);
      else roots.push(list);
      open.push({ indent, list });
    }
    list.children.push(...element.elements.map((section) => toListItem(section.elements, names)));
  }
  for (const root of roots) separateLists(root);
  return roots;
}

/** Checkboxes of task lists, which Slack does not have. */
export const TASK = { done: '☑ ', open: '☐ ' } as const;

function toListItem(elements: readonly Inline[], names: Names): ListItem {
  // White space before an item's text is lost, whatever it is.
  const begin = elements.findIndex((each) => each.type !== 'text' || textFrom(each.text) !== '');
  const [first, ...rest] = begin < 0 ? [] : elements.slice(begin);
  const text = first?.type === 'text' ? textFrom(first.text) : '';
  const mark = Object.values(TASK).find((box) => text.startsWith(box) && (text !== box || rest.length > 0));
  if (mark !== undefined && first?.type === 'text') {
    const children = paragraphs([{ ...first, text: text.slice(mark.length) }, ...rest], names);
    if (children.length > 0)
      return { type: 'listItem', spread: false, checked: mark === TASK.done, children };
  }
  return { type: 'listItem', spread: false, children: paragraphs(elements, names) };
}

const textFrom = (text: string) => cleanText(text).trimStart();

/**
 * A list right below a line of text is parsed as one only if its first item has text; otherwise an empty line must
 * separate them (https://spec.commonmark.org/0.31.2/#list-items).
 */
function separateLists(list: List): void {
  for (const item of list.children) {
    for (const child of item.children) {
      if (child.type !== 'list') continue;
      separateLists(child);
      if ((child.start ?? 1) !== 1 || child.children[0]?.children.length === 0) item.spread = true;
    }
  }
}

const Fields = z.looseObject({ type: z.string() });
type Fields = z.infer<typeof Fields>;

/** Blocks may be nested (containers, plans, cards); deeper than any app goes. */
const DEEPEST = 6;

/**
 * Returns a message's blocks in Markdown: all documented types, and of unknown types the texts in common fields. Fields
 * for programs are left out. Source: https://docs.slack.dev/reference/block-kit/blocks
 */
export function blockNodes(blocks: readonly unknown[], names: Names, depth = 0): RootContent[] {
  if (depth > DEEPEST) return [];
  const nodes: RootContent[] = [];
  let run: Element[] = [];
  const flush = () => {
    nodes.push(...richTextNodes(run, names));
    run = [];
  };
  for (const block of blocks) {
    const rich = RichText.safeParse(block);
    if (rich.success) run.push(...rich.data.elements);
    else {
      flush();
      const fields = Fields.safeParse(block);
      if (fields.success) nodes.push(...nodesOf(fields.data, names, depth));
    }
  }
  flush();
  return nodes;
}

function nodesOf(block: Fields, names: Names, depth: number): RootContent[] {
  switch (block.type) {
    case 'header': {
      const children = textAsLine(block['text'], names);
      return children.length > 0 ? [{ type: 'heading', depth: 2, children }] : [];
    }
    case 'divider':
      return [{ type: 'thematicBreak' }];
    case 'context':
      return contextNodes(asList(block['elements']), names);
    case 'image':
      return imageNodes(block, names);
    case 'markdown':
      return typeof block['text'] === 'string' ? markdownNodes(block['text']) : [];
    case 'table':
    case 'data_table':
      return tableNodes(asList(block['rows']), names);
    case 'video':
      return [
        ...linkParagraph(block['title_url'] ?? block['video_url'], wordsIn(block['title'], names)),
        ...textNodes(block['description'], names),
      ];
    case 'input':
    case 'file':
      return textNodes(block['label'], names);
    case 'actions':
      return asList(block['elements']).flatMap((element) => {
        const button = Fields.safeParse(element).data;
        return button?.['url'] ? linkParagraph(button['url'], wordsIn(button['text'], names)) : [];
      });
    default:
      return textsIn(block, names, depth);
  }
}

/** The fields of blocks with visible text, in display order. */
const TEXTS = [
  'title',
  'rich_text_title',
  'subtitle',
  'text',
  'body',
  'fields',
  'description',
  'details',
  'output',
];
const PARTS = ['hero_image', 'accessory', 'child_blocks', 'tasks', 'elements'];

function textsIn(block: Fields, names: Names, depth: number): RootContent[] {
  const texts = TEXTS.flatMap((name) =>
    (Array.isArray(block[name]) ? block[name] : [block[name]]).flatMap((text) =>
      RichText.safeParse(text).success ? blockNodes([text], names, depth + 1) : textNodes(text, names),
    ),
  );
  const parts = PARTS.flatMap((name) => asList(block[name])).filter(
    (part) => Fields.safeParse(part).data?.type !== 'button',
  );
  return [...texts, ...blockNodes(parts, names, depth + 1)];
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

const TextObject = z.object({ type: z.enum(['mrkdwn', 'plain_text']), text: z.string() });

/** A text object or a string. */
function textNodes(value: unknown, names: Names): RootContent[] {
  const parsed = TextObject.safeParse(value);
  if (parsed.success && parsed.data.type === 'mrkdwn')
    return richTextNodes(mrkdwnElements(parsed.data.text), names);
  const text = parsed.success ? parsed.data.text : value;
  return typeof text === 'string' ? paragraphs([{ type: 'text', text, style: undefined }], names) : [];
}

/** Returns a text object as one line. */
function textAsLine(value: unknown, names: Names): PhrasingContent[] {
  const lines = textNodes(value, names).flatMap((node) => (node.type === 'paragraph' ? [node.children] : []));
  return lines.flatMap((line, at) => oneLine(at > 0 ? [{ type: 'text', value: ' ' }, ...line] : line));
}

/** Replaces line breaks by spaces where Markdown allows one line only. */
function oneLine(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  return nodes.map((node) => (node.type === 'break' ? { type: 'text', value: ' ' } : node));
}

function wordsIn(value: unknown, names: Names): string {
  return wordsOf({ type: 'root', children: textNodes(value, names) } satisfies Root).trim();
}

function contextNodes(elements: readonly unknown[], names: Names): RootContent[] {
  const children = elements.flatMap((element, at): PhrasingContent[] => {
    const image = Fields.safeParse(element).data;
    const line =
      image?.type === 'image'
        ? linkPhrase(image['image_url'], wordsIn(image['alt_text'], names))
        : textAsLine(element, names);
    return at > 0 && line.length > 0 ? [{ type: 'text', value: ' ' }, ...line] : line;
  });
  return children.length > 0 ? [{ type: 'paragraph', children }] : [];
}

function imageNodes(image: Fields, names: Names): RootContent[] {
  const label = wordsIn(image['title'], names) || wordsIn(image['alt_text'], names);
  const file = z.object({ url: z.string() }).safeParse(image['slack_file']).data?.url;
  return linkParagraph(image['image_url'] ?? file, label);
}

function linkParagraph(url: unknown, label: string): RootContent[] {
  const children = linkPhrase(url, label);
  return children.length > 0 ? [{ type: 'paragraph', children }] : [];
}

/** Returns a link with its label; text if the URL may not be a link. */
export function linkPhrase(url: unknown, label: string): PhrasingContent[] {
  const words = labelOf(cleanText(label));
  const address = typeof url === 'string' ? encodedUrl(cleanText(url)) : '';
  if (!isLinkable(address)) {
    const value = addressText(address, words) || words;
    return value ? [{ type: 'text', value: address ? value : words }] : [];
  }
  return [{ type: 'link', url: address, children: [{ type: 'text', value: words || shownUrl(address) }] }];
}

/** Markdown of an app: nothing in it is a mention. */
function markdownNodes(text: string): RootContent[] {
  return parseMarkdown(text).children.map(withoutForeignLinks);
}

function withoutForeignLinks<Node extends RootContent>(node: Node): Node {
  if (!('children' in node)) return node;
  const children = node.children.map((child) =>
    child.type === 'link' && !isLinkable(child.url)
      ? ({ type: 'text', value: addressText(child.url, wordsOf(child)) } as const)
      : withoutForeignLinks(child),
  );
  return { ...node, children };
}

function tableNodes(rows: readonly unknown[], names: Names): RootContent[] {
  const children = rows.map((row): TableRow => ({
    type: 'tableRow',
    children: asList(row).map((cell) => ({ type: 'tableCell', children: cellOf(cell, names) })),
  }));
  return children.some((row) => row.children.length > 0) ? [{ type: 'table', children }] : [];
}

function cellOf(cell: unknown, names: Names): PhrasingContent[] {
  const rich = RichText.safeParse(cell);
  if (rich.success)
    return rich.data.elements
      .flatMap((element) =>
        element.type === 'rich_text_list'
          ? element.elements.flatMap((item) => item.elements)
          : element.elements,
      )
      .flatMap((inline) => paragraphs([inline], names))
      .flatMap((node) => oneLine(node.children));
  const raw = z.object({ text: z.union([z.string(), z.number()]) }).safeParse(cell).data;
  const value = z.object({ value: z.number() }).safeParse(cell).data;
  const text = String(raw?.text ?? value?.value ?? '');
  return paragraphs([{ type: 'text', text, style: undefined }], names).flatMap(({ children }) =>
    oneLine(children),
  );
}

/** Returns mrkdwn as one line: titles and names of apps. */
export function mrkdwnLine(text: string, names: Names): PhrasingContent[] {
  return paragraphs(mrkdwnInlines(text.replaceAll(/\s+/g, ' ')), names).flatMap(({ children }) => children);
}
