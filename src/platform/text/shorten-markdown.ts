import type { Nodes } from 'mdast';

import { parseMarkdown, wordsOf, writeMarkdown } from './markdown.ts';

/**
 * Shortens Markdown to about this many characters of words, with an ellipsis. It is cut between words, and never in a
 * link, in code of a line, or in the middle of a style; of a block of code the first lines stay.
 * @param shortenText shortens a text without styles to so many characters, between words (`shortenAtWord`, which this
 *   module may not import).
 */
export function shortenMarkdown(
  markdown: string,
  characters: number,
  shortenText: (text: string, characters: number) => string,
): string {
  if (markdown.length <= characters) return markdown;
  const budget: Budget = { left: characters, isSpent: false, shortenText };
  const { children } = parseMarkdown(markdown);
  const text = writeMarkdown({
    type: 'root',
    children: children.flatMap((node) => shortened(node, budget) ?? []),
  });
  return budget.isSpent && !text.endsWith('…') ? `${text}\n\n…` : text;
}

interface Budget {
  left: number;
  isSpent: boolean;
  shortenText: (text: string, characters: number) => string;
}

/** Returns as much of a node as there is room for; undefined for nothing. */
function shortened<Node extends Nodes>(node: Node, budget: Budget): Node | undefined {
  if (budget.isSpent) return undefined;
  if (node.type === 'link' || 'value' in node) {
    const { length } = wordsOf(node);
    if (length <= budget.left) {
      budget.left -= length;
      return node;
    }
    budget.isSpent = true;
    if (node.type === 'text')
      return { ...node, value: budget.shortenText(node.value, Math.max(budget.left, 1)) };
    if (node.type !== 'code') return undefined;
    const end = node.value.lastIndexOf('\n', budget.left);
    return end > 0 ? { ...node, value: node.value.slice(0, end) } : undefined;
  }
  if (!('children' in node)) return node;
  const children = (node.children as Nodes[]).flatMap((child): Nodes[] => {
    const kept = shortened(child, budget);
    return kept ? [kept] : [];
  });
  return children.length > 0 || node.children.length === 0
    ? Object.assign({}, node, { children })
    : undefined;
}
