import type { Link, Root, RootContent } from 'mdast';

import { treeOf, wordsOf } from './markdown.ts';

/** Returns the ids of mentioned users, each once: mentions are links like `[@Ada](user:usr_…)`. */
export function mentionedIn(markdown: string | Root): string[] {
  return [...new Set(linksIn(treeOf(markdown)).map(mentionOf))].filter((id) => id !== undefined);
}

/** Returns all links of a text, those within links too. */
export function linksIn(node: Root | RootContent): Link[] {
  // An image may be within a link.
  const inner = 'children' in node ? node.children.flatMap(linksIn) : [];
  return node.type === 'link' ? [node, ...inner] : inner;
}

/** Returns the user that a link mentions: its label must be a name, or it is a fake. */
export function mentionOf(link: Link): string | undefined {
  const [, id] = /^user:([\w.:-]+)$/.exec(link.url) ?? [];
  return id !== undefined && /^@\S/.test(wordsOf(link)) ? id : undefined;
}
