import type { Definition, Nodes, PhrasingContent, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';

import { addressText, cleanText, isLinkable } from './clean.ts';

/**
 * GitHub's syntax without its guessing of addresses: that looks at text in which escapes are gone already, so what is
 * written as text would be read as a link, and `www.` before an escape is misread. Addresses are found in to-chat.ts.
 */
const SYNTAX = {
  read: {
    extensions: [gfm(), { disable: { null: ['wwwAutolink', 'protocolAutolink', 'emailAutolink'] } }],
    mdastExtensions: gfmFromMarkdown().filter((extension) => !extension.transforms),
  },
  write: {
    extensions: gfmToMarkdown({ tablePipeAlign: false }).extensions?.filter(
      (extension) => !extension.unsafe?.some(({ character }) => character === '@'),
    ),
  } as Options,
};

/**
 * The syntax tree of a ticket message's content (CommonMark with tables and strikethrough), made simpler: HTML is text,
 * an image is a link, references are what they refer to. Never throws.
 */
export function parseMarkdown(markdown: string): Root {
  const text = cleanText(markdown);
  if (isTooDeep(text)) return { type: 'root', children: [paragraph([{ type: 'text', value: text }])] };
  const tree = fromMarkdown(text, SYNTAX.read);
  const definitions = new Map<string, Definition>();
  for (const node of tree.children)
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node);
  return { type: 'root', children: tree.children.flatMap((node) => plainBlock(node, definitions)) };
}

/** Markdown of a tree; what would be syntax in a text node is escaped, so text stays text. */
export function writeMarkdown(tree: Root): string {
  return toMarkdown(tree, {
    extensions: [SYNTAX.write],
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

/** The words of a tree without its syntax. */
export function wordsOf(node: Nodes): string {
  if ('children' in node) {
    const block =
      node.type === 'root' || node.type === 'list' || node.type === 'blockquote' || node.type === 'listItem';
    return node.children.map(wordsOf).join(block ? '\n' : '');
  }
  if (node.type === 'break') return '\n';
  return 'value' in node ? node.value : '';
}

/** Marks of style in one paragraph; the parser's time grows with their square, and 4,000 took it seconds. */
const MARKS_OF_STYLE = 1_000;

/** Nesting that no person writes, and that takes a parser seconds or its whole stack: such a text is shown as it is. */
function isTooDeep(markdown: string): boolean {
  return (
    /^[ \t]*(?:>[ \t]*|[*+\-][ \t]+|\d{1,9}[.)][ \t]+){40}|(?:!?\[){100}|^[ \t]{160,}[-*+\d]/m.test(
      markdown,
    ) ||
    markdown
      .split(/\n[ \t]*\n/)
      .some((paragraph) => (paragraph.match(/(?<!\\)(?:\*+|_+|~+)/g)?.length ?? 0) > MARKS_OF_STYLE)
  );
}

type Definitions = ReadonlyMap<string, Definition>;

function plainBlock(node: RootContent, definitions: Definitions): RootContent[] {
  switch (node.type) {
    case 'html':
      return [paragraph([{ type: 'text', value: node.value }])];
    case 'definition':
    case 'yaml':
      return [];
    case 'footnoteDefinition': {
      const label: PhrasingContent = { type: 'text', value: `[${node.label ?? node.identifier}] ` };
      const [first, ...rest] = node.children.flatMap((child) => plainBlock(child, definitions));
      return first?.type === 'paragraph'
        ? [{ ...first, children: [label, ...first.children] }, ...rest]
        : [paragraph([label]), ...(first ? [first] : []), ...rest];
    }
    default: {
      if (!('children' in node)) return [node];
      // Each child becomes what may stand in its place.
      const children =
        node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell'
          ? node.children.flatMap((child) => plainPhrasing(child, definitions))
          : node.children.flatMap((child) => plainBlock(child, definitions));
      return [{ ...node, children } as RootContent];
    }
  }
}

function plainPhrasing(node: PhrasingContent, definitions: Definitions): PhrasingContent[] {
  switch (node.type) {
    case 'html':
      return [{ type: 'text', value: node.value }];
    case 'footnoteReference':
      return [{ type: 'text', value: `[${node.label ?? node.identifier}]` }];
    case 'image':
      return asImage(linkTo(node.url, [{ type: 'text', value: node.alt || node.url }]));
    case 'imageReference': {
      const url = definitions.get(node.identifier)?.url ?? '';
      return asImage(linkTo(url, [{ type: 'text', value: node.alt || url }]));
    }
    case 'linkReference':
      return linkTo(
        definitions.get(node.identifier)?.url ?? '',
        node.children.flatMap((child) => plainPhrasing(child, definitions)),
      );
    default: {
      if (!('children' in node)) return [node];
      const children = node.children.flatMap((child) => plainPhrasing(child, definitions));
      return [{ ...node, children }];
    }
  }
}

declare module 'mdast' {
  interface LinkData {
    /** It was an image. */
    image?: true;
  }
}

function asImage(nodes: PhrasingContent[]): PhrasingContent[] {
  return nodes.map((node) => (node.type === 'link' ? { ...node, data: { image: true } } : node));
}

/** A link, where its address may be one; never a mention, which has a form of its own. */
function linkTo(url: string, label: PhrasingContent[]): PhrasingContent[] {
  if (isLinkable(url)) return [{ type: 'link', url, children: label }];
  return [{ type: 'text', value: addressText(url, wordsOf({ type: 'root', children: label })) }];
}

function paragraph(children: PhrasingContent[]): RootContent {
  return { type: 'paragraph', children };
}
