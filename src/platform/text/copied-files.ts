import type { Root, RootContent } from 'mdast';

import { wordsOf } from './read-markdown.ts';

/** The path of Slack's page of a file (https://docs.slack.dev/reference/objects/file-object). */
const FILE_PAGE = /^https?:\/\/[^/]+\/files\/[^/]+\/F\w+(?:\/|$)/;

/**
 * Returns a message without the lines of files at its end that are shown below it: the bridge writes a line for each
 * file of a message in Slack, and then copies the file itself. A line stays where it is not certain that its file was
 * copied.
 * @param names of the files that are shown.
 */
export function withoutCopied(root: Root, names: readonly string[]): Root {
  if (names.length === 0) return root;
  const first = root.children.findLastIndex((node) => fileNameInLine(node) === undefined) + 1;
  const lines = root.children
    .slice(first)
    .map((node) => ({ node, key: comparableName(fileNameInLine(node) ?? '') }));
  const written = countOf(lines.map(({ key }) => key));
  const copied = countOf(names.map(comparableName));
  const rest = lines.filter(({ key }) => (written.get(key) ?? 0) > (copied.get(key) ?? 0));
  return { ...root, children: [...root.children.slice(0, first), ...rest.map(({ node }) => node)] };
}

/** Returns a message without the lines of files at its end, and what those files are called. */
export function withoutFileLines(root: Root): { rest: Root; names: string[] } {
  const first = root.children.findLastIndex((node) => fileNameInLine(node) === undefined) + 1;
  return {
    rest: { ...root, children: root.children.slice(0, first) },
    names: root.children.slice(first).map((node) => fileNameInLine(node) ?? ''),
  };
}

function countOf(keys: readonly string[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const key of keys) count.set(key, (count.get(key) ?? 0) + 1);
  return count;
}

/** Returns the name of the file of a line; undefined for what is no such line. */
function fileNameInLine(node: RootContent): string | undefined {
  if (node.type !== 'paragraph') return undefined;
  const [link, facts, ...more] = node.children;
  if (link?.type !== 'link' || !FILE_PAGE.test(link.url) || more.length > 0) return undefined;
  const isLine = facts === undefined || (facts.type === 'text' && /^ \([^()]*\)$/.test(facts.value));
  return isLine ? wordsOf(link) : undefined;
}

/** The service cleans names: what it may change does not count. */
function comparableName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
