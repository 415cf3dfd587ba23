import type { Root, RootContent } from 'mdast';

import { treeOf, wordsOf } from '../../platform/text/markdown.ts';

/** An image of a text. */
export interface Image {
  /** An http or https URL. */
  url: string;
  /** Its alternative text; may be empty. */
  alt: string;
}

/** Returns the images of a text, each URL once, in order. */
export function imagesIn(markdown: string | Root): Image[] {
  const images = new Map<string, Image>();
  const visit = (node: RootContent) => {
    if (node.type === 'link' && node.data?.image && /^https?:/i.test(node.url) && !images.has(node.url)) {
      const alt = wordsOf(node).replaceAll(/\s+/g, ' ').trim();
      images.set(node.url, { url: node.url, alt: alt === node.url ? '' : alt });
    }
    if ('children' in node) node.children.forEach(visit);
  };
  treeOf(markdown).children.forEach(visit);
  return [...images.values()];
}

const NAME_CHARACTERS = 100;
const ENDINGS: Record<string, string> = {
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
};

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
  const ending = ENDINGS[(contentType.split(';')[0] ?? '').trim().toLowerCase()];
  return /\.[a-z0-9]{1,8}$/i.test(base) || ending === undefined ? base : `${base}.${ending}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
