import type { PhrasingContent, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';

/** As the bridge reads Markdown: addresses in text stay text here, and are judged below. */
const READ = {
  extensions: [gfm(), { disable: { null: ['wwwAutolink', 'protocolAutolink', 'emailAutolink'] } }],
  mdastExtensions: gfmFromMarkdown().filter((extension) => !extension.transforms),
};
const WRITE = {
  extensions:
    gfmToMarkdown({ tablePipeAlign: false }).extensions?.filter(
      (extension) => !extension.unsafe?.some(({ character }) => character === '@'),
    ) ?? [],
  bullet: '-',
  rule: '-',
  listItemIndent: 'one',
  fences: true,
} as const;

/** Nobody writes that many in an answer, and a parser's time grows with their square. */
const MARKS_AT_MOST = 400;
/** Deeper than people write: a parser's stack has an end. */
const DEEP = /^[ \t]*(?:>[ \t]*|[*+-][ \t]+|\d{1,9}[.)][ \t]+){20}|(?:!?\[){40}/m;
const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>()[\]]+/gi;
/** What ends a sentence, and no address. */
const AFTER_ADDRESS = /[.,;:!?'"*_]+$/;

/** The addresses that stand in a text. */
export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map((address) => address.replace(AFTER_ADDRESS, ''));
}

/**
 * Markdown with its style and nothing that acts: no mention (`[@Name](user:…)` would ping), no picture (whose address
 * is fetched by whoever shows it), no HTML, and no address but those that `mayLink` knows. What was a mention or a link
 * stays as its words.
 */
export function harmless(markdown: string, mayLink: (url: string) => boolean): string {
  const marks = markdown.match(/\*+|_+|~+/g)?.length ?? 0;
  const tree: Root =
    marks > MARKS_AT_MOST || DEEP.test(markdown)
      ? { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value: markdown }] }] }
      : fromMarkdown(markdown, READ);
  const children = tree.children.flatMap((node) => block(node, mayLink));
  return toMarkdown({ type: 'root', children }, WRITE).trimEnd();
}

/** Text as Markdown that says just this, on one line. */
export function plain(text: string): string {
  const value = text.replaceAll(/\s+/g, ' ').trim();
  return toMarkdown(
    { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value }] }] },
    WRITE,
  ).trimEnd();
}

type MayLink = (url: string) => boolean;

function block(node: RootContent, mayLink: MayLink): RootContent[] {
  switch (node.type) {
    case 'definition':
    case 'yaml':
    case 'footnoteDefinition':
      return [];
    case 'html':
      return [{ type: 'paragraph', children: [{ type: 'text', value: node.value }] }];
    case 'paragraph':
    case 'heading':
    case 'tableCell':
      return [{ ...node, children: node.children.flatMap((child) => phrase(child, mayLink)) }];
    default:
      if (!('children' in node)) return [node];
      return [
        {
          ...node,
          children: (node.children as RootContent[]).flatMap((child) => block(child, mayLink)),
        } as RootContent,
      ];
  }
}

function phrase(node: PhrasingContent, mayLink: MayLink): PhrasingContent[] {
  switch (node.type) {
    case 'text':
      return [{ type: 'text', value: withoutUnknown(node.value, mayLink) }];
    case 'html':
      return [{ type: 'text', value: node.value }];
    case 'image':
    case 'imageReference':
      return node.alt ? [{ type: 'text', value: node.alt }] : [];
    case 'footnoteReference':
      return [];
    case 'link':
      if (/^https?:\/\//i.test(node.url) && mayLink(node.url)) return [node];
      return node.children.flatMap((child) => phrase(child, mayLink));
    case 'linkReference':
      return node.children.flatMap((child) => phrase(child, mayLink));
    default:
      if (!('children' in node)) return [node];
      return [{ ...node, children: node.children.flatMap((child) => phrase(child, mayLink)) }];
  }
}

/** Chat makes links of addresses that stand in a text. */
function withoutUnknown(text: string, mayLink: MayLink): string {
  return text.replaceAll(ADDRESS, (address) => {
    const url = address.replace(AFTER_ADDRESS, '');
    return mayLink(url) ? address : `(address left out)${address.slice(url.length)}`;
  });
}
