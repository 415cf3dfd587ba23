import type { PhrasingContent, RootContent } from 'mdast';

import { escapeMarkdown, parseMarkdown, wordsOf, writeMarkdown } from '../../platform/text/markdown.ts';

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>()[\]]+/gi;
/** Characters that end a sentence and are not part of a URL. */
const AFTER_ADDRESS = '.,;:!?\'"*_';

/** Returns the URLs in a text. */
export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map(withoutStop);
}

/** From the end: a regular expression would search for the end from each position. */
function withoutStop(address: string): string {
  let end = address.length;
  while (end > 0 && AFTER_ADDRESS.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/**
 * Sanitizes Markdown: keeps formatting, but no mentions (`[@Name](user:…)` would notify), no images (their URLs are
 * fetched by clients), no HTML, and no URLs except those that `mayLink` allows. Mentions and links become their text.
 */
export function sanitizeMarkdown(markdown: string, mayLink: (url: string) => boolean): string {
  const children = parseMarkdown(markdown).children.flatMap((node) => block(node, mayLink));
  return writeMarkdown({ type: 'root', children });
}

/** Returns one line of Markdown that shows exactly this text. */
export function escapeText(text: string): string {
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

/** Slack turns URLs in a text into links. */
function withoutUnknown(text: string, mayLink: MayLink): string {
  return text.replaceAll(ADDRESS, (address) => {
    const url = withoutStop(address);
    return mayLink(url) ? address : `(address left out)${address.slice(url.length)}`;
  });
}
