import type { PhrasingContent, Root, RootContent, TableRow } from 'mdast';
import { z } from 'zod';

import { addressText, cleanText, isLinkable } from '../../platform/text/clean.ts';
import { richTextNodes } from './from-rich-text.ts';
import { parseMarkdown, wordsOf } from '../../platform/text/markdown.ts';
import { mrkdwnElements, mrkdwnInlines } from './mrkdwn.ts';
import { type Names, paragraphs } from './paragraphs.ts';
import { type Element, RichText } from './rich-text.ts';

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
      const children = lineOf(block['text'], names);
      return children.length > 0 ? [{ type: 'heading', depth: 2, children }] : [];
    }
    case 'divider':
      return [{ type: 'thematicBreak' }];
    case 'context':
      return contextNodes(listOf(block['elements']), names);
    case 'image':
      return imageNodes(block, names);
    case 'markdown':
      return typeof block['text'] === 'string' ? markdownNodes(block['text']) : [];
    case 'table':
    case 'data_table':
      return tableNodes(listOf(block['rows']), names);
    case 'video':
      return [
        ...linkNodes(block['title_url'] ?? block['video_url'], wordsIn(block['title'], names)),
        ...textNodes(block['description'], names),
      ];
    case 'input':
    case 'file':
      return textNodes(block['label'], names);
    case 'actions':
      return listOf(block['elements']).flatMap((element) => {
        const button = Fields.safeParse(element).data;
        return button?.['url'] ? linkNodes(button['url'], wordsIn(button['text'], names)) : [];
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
  const parts = PARTS.flatMap((name) => listOf(block[name])).filter(
    (part) => Fields.safeParse(part).data?.type !== 'button',
  );
  return [...texts, ...blockNodes(parts, names, depth + 1)];
}

function listOf(value: unknown): unknown[] {
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
function lineOf(value: unknown, names: Names): PhrasingContent[] {
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
        ? linkOf(image['image_url'], wordsIn(image['alt_text'], names))
        : lineOf(element, names);
    return at > 0 && line.length > 0 ? [{ type: 'text', value: ' ' }, ...line] : line;
  });
  return children.length > 0 ? [{ type: 'paragraph', children }] : [];
}

function imageNodes(image: Fields, names: Names): RootContent[] {
  const label = wordsIn(image['title'], names) || wordsIn(image['alt_text'], names);
  const file = z.object({ url: z.string() }).safeParse(image['slack_file']).data?.url;
  return linkNodes(image['image_url'] ?? file, label);
}

function linkNodes(url: unknown, label: string): RootContent[] {
  const children = linkOf(url, label);
  return children.length > 0 ? [{ type: 'paragraph', children }] : [];
}

/** Returns a link with its label; text if the URL may not be a link. */
export function linkOf(url: unknown, label: string): PhrasingContent[] {
  const words = cleanText(label).replaceAll(/\s+/g, ' ').trim();
  const address = typeof url === 'string' ? cleanText(url) : '';
  if (!isLinkable(address)) {
    const value = addressText(address, words) || words;
    return value ? [{ type: 'text', value: address ? value : words }] : [];
  }
  return [{ type: 'link', url: address, children: [{ type: 'text', value: words || address }] }];
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
    children: listOf(row).map((cell) => ({ type: 'tableCell', children: cellOf(cell, names) })),
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
