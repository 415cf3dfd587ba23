import type { PhrasingContent, RootContent } from 'mdast';

import { escapeMarkdown, parseMarkdown, wordsOf, writeMarkdown } from '../../platform/text/markdown.ts';

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>()[\]]+/gi;
/** What ends a sentence, and no address. */
const AFTER_ADDRESS = '.,;:!?\'"*_';

/** The addresses that stand in a text. */
export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map(withoutStop);
}

/** From the end: a regular expression looks for the end from each place. */
function withoutStop(address: string): string {
  let end = address.length;
  while (end > 0 && AFTER_ADDRESS.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/**
 * Markdown with its style and nothing that acts: no mention (`[@Name](user:…)` would ping), no picture (whose address
 * is fetched by whoever shows it), no HTML, and no address but those that `mayLink` knows. What was a mention or a link
 * stays as its words.
 */
export function harmless(markdown: string, mayLink: (url: string) => boolean): string {
  const children = parseMarkdown(markdown).children.flatMap((node) => block(node, mayLink));
  return writeMarkdown({ type: 'root', children });
}

/** Text as Markdown that says just this, on one line. */
export function plain(text: string): string {
  return escapeMarkdown(text.trim());
}

type MayLink = (url: string) => boolean;

function block(node: RootContent, mayLink: MayLink): RootContent[] {
  switch (node.type) {
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
    case 'link': {
      if (node.data?.image) {
        const alt = wordsOf(node);
        return alt === node.url ? [] : [{ type: 'text', value: withoutUnknown(alt, mayLink) }];
      }
      if (/^https?:\/\//i.test(node.url) && mayLink(node.url)) return [node];
      return node.children.flatMap((child) => phrase(child, mayLink));
    }
    default:
      if (!('children' in node)) return [node];
      return [{ ...node, children: node.children.flatMap((child) => phrase(child, mayLink)) }];
  }
}

/** Chat makes links of addresses that stand in a text. */
function withoutUnknown(text: string, mayLink: MayLink): string {
  return text.replaceAll(ADDRESS, (address) => {
    const url = withoutStop(address);
    return mayLink(url) ? address : `(address left out)${address.slice(url.length)}`;
  });
}
