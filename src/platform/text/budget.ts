import type { Nodes } from 'mdast';

import { addressText, isLinkable } from './clean.ts';

/*
 * No text may block the event loop for more than 50 ms. Reading takes up to 5 µs for each character that may be syntax
 * and for each line, writing 40 µs for each node (measured on one core at 2 GHz); the rest costs next to nothing. A
 * text beyond these limits is shown as plain text: it loses only its formatting. Long documents stay below them; only
 * generated texts do not.
 */

/** Limit of syntax characters and lines of a text whose Markdown is parsed; fenced code does not count. */
const MARKS_READ = 4_000;
/** Limit of opening brackets in a paragraph: the parser scans from each of them to its end. */
const BRACKETS_READ = 800;
/** Cost of a line: it may be a list item, which takes several nodes. */
const LINE = 2;
/** Limit of nodes and lines of a tree that is written as Markdown. */
const NODES_WRITTEN = 1_000;
/** Limit of characters that may need an escape. */
const MARKS_WRITTEN = 20_000;

const MARK = /[*_~`[\]<>|\\!&]/g;
/** Nesting deeper than any person writes; it would use up the parser's stack. */
const TOO_DEEP = /^[ \t]*(?:>[ \t]*|[*+-][ \t]+|\d{1,9}[.)][ \t]+){40}|(?:!?\[){100}|^[ \t]{160,}[-*+>\d]/m;
/** A top-level code fence: without `|` it is not a table row either. */
const FENCE = /^(`{3,}|~{3,})[\w+#. -]*$/;

/**
 * Counts a sign in a text, to one more than `most`: a list of all matches takes longer to make than a text to read.
 * @param sign has the flag `g`.
 */
export function countOf(text: string, sign: RegExp, most: number): number {
  const matches = text.matchAll(sign);
  let count = 0;
  while (count <= most && !matches.next().done) count += 1;
  return count;
}

/** Returns whether it would take too long to parse a text as Markdown. */
export function needsPlainText(markdown: string): boolean {
  // The shortest text that can cost too much; most texts are shorter.
  if (markdown.length <= 100) return false;
  let marks = 0;
  let brackets = 0;
  let fence: RegExp | undefined;
  for (let at = 0; at < markdown.length && marks <= MARKS_READ;) {
    const end = markdown.indexOf('\n', at);
    const line = markdown.slice(at, end === -1 ? undefined : end);
    at = end === -1 ? markdown.length : end + 1;
    if (fence) {
      if (fence.test(line)) fence = undefined;
      continue;
    }
    marks += LINE + countOf(line, MARK, MARKS_READ);
    brackets = line.trim() === '' ? 0 : brackets + countOf(line, /\[/g, BRACKETS_READ);
    if (brackets > BRACKETS_READ) return true;
    const [, opened] = FENCE.exec(line) ?? [];
    if (opened) fence = new RegExp(`^ {0,3}${opened}${opened.charAt(0)}*[ \\t]*$`);
  }
  return marks > MARKS_READ || TOO_DEEP.test(markdown);
}

/** Returns whether it would take too long to write a tree as Markdown. */
export function needsPlainMarkdown(tree: Nodes): boolean {
  const count = { nodes: 0, marks: 0 };
  const visit = (node: Nodes): boolean => {
    if (node.type === 'text') {
      count.marks += countOf(node.value, MARK, MARKS_WRITTEN);
      count.nodes += countOf(node.value, /\n/g, NODES_WRITTEN);
    } else count.nodes += 1;
    if (count.nodes > NODES_WRITTEN || count.marks > MARKS_WRITTEN) return true;
    return 'children' in node && node.children.some(visit);
  };
  return visit(tree);
}

/** Returns the text of unparsed Markdown without its escapes. */
export function plainFromMarkdown(markdown: string): string {
  return markdown.replaceAll(/\\([!-/:-@[-`{-~\n])/g, '$1');
}

/**
 * Returns Markdown that shows exactly this text, with its lines.
 * @param most what is behind so many characters is cut off before it is escaped, which costs the most.
 */
export function plainToMarkdown(text: string, most = Infinity): string {
  return text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .slice(0, most)
    .trim()
    .replaceAll(/[\\`*_~[\]<>|!&]/g, String.raw`\$&`)
    .replaceAll(/^(\d{0,9})([#+=:.)-])/gm, String.raw`$1\$2`)
    .replaceAll(/([^\n])\n(?!\n)/g, '$1\\\n');
}

/** Returns the text of a tree, with the URLs of its links. */
export function plainWords(node: Nodes): string {
  switch (node.type) {
    case 'break':
      return '\n';
    case 'link': {
      const label = node.children.map(plainWords).join('');
      return isLinkable(node.url) ? addressText(node.url, label) : label;
    }
    case 'root':
    case 'blockquote':
      return node.children.map(plainWords).join('\n\n');
    case 'list':
    case 'listItem':
    case 'table':
      return node.children.map(plainWords).join('\n');
    case 'tableRow':
      return node.children.map(plainWords).join('  ');
    default:
      if ('children' in node) return node.children.map(plainWords).join('');
      return 'value' in node ? node.value : '';
  }
}
