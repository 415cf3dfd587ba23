import MarkdownIt, { type Token } from 'markdown-it';
import type { ListItem, Nodes, Parent, PhrasingContent, Root } from 'mdast';

import { addressText, encodedUrl, isLinkable } from './clean.ts';
import { addInlineRules } from './inline-rules.ts';

declare module 'mdast' {
  interface LinkData {
    /** Set if it was an image. */
    image?: true;
  }
}

/** Levels of nesting, two for each list. needsPlainText() allows fewer, because the parser drops what is deeper. */
const NESTING = 400;

/**
 * CommonMark with tables and strikethrough. HTML is text. Bare addresses are read before styles, so that
 * `https://acme.example/__init__.py` stays whole.
 */
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: NESTING });
parser.enable(['table', 'strikethrough']);
parser.normalizeLink = encodedUrl;
parser.normalizeLinkText = (url) => url;
// The parser asks about definitions while it reads blocks, about links afterwards. A definition is for the web only: a
// mention has its own form, and `[^1]: note` is text.
let readsBlocks = true;
parser.validateLink = (url) => !readsBlocks || isLinkable(url);
parser.core.ruler.before('block', 'definitions', () => void (readsBlocks = true));
parser.core.ruler.before('inline', 'links', () => void (readsBlocks = false));
addInlineRules(parser);
/** Returns the CommonMark syntax tree: images become links, references are resolved. */
export function readMarkdown(markdown: string): Root {
  const root: Root = { type: 'root', children: [] };
  const open: Parent[] = [root];
  for (const token of parser.parse(markdown, {})) {
    const parent = open.at(-1) ?? root;
    if (token.nesting < 0) open.pop();
    else if (token.type === 'inline') parent.children.push(...phrasing(token, parent, open));
    else {
      const node = blockOf(token, open);
      if (node) parent.children.push(node as Parent['children'][number]);
      if (token.nesting > 0) open.push(node && 'children' in node ? node : parent);
    }
  }
  return root;
}

function blockOf(token: Token, open: readonly Parent[]): Nodes | undefined {
  switch (token.type) {
    case 'paragraph_open':
      // In a loose list, the paragraphs are kept.
      if (!token.hidden) setApart(open);
      return { type: 'paragraph', children: [] };
    case 'heading_open':
      return { type: 'heading', depth: Number(token.tag.slice(1)) as 1 | 2 | 3 | 4 | 5 | 6, children: [] };
    case 'blockquote_open':
      return { type: 'blockquote', children: [] };
    case 'bullet_list_open':
      return { type: 'list', ordered: false, start: null, spread: false, children: [] };
    case 'ordered_list_open':
      return {
        type: 'list',
        ordered: true,
        start: Number(token.attrGet('start') ?? 1),
        spread: false,
        children: [],
      };
    case 'list_item_open':
      return { type: 'listItem', spread: false, children: [] };
    case 'table_open':
      return { type: 'table', children: [] };
    case 'tr_open':
      return { type: 'tableRow', children: [] };
    case 'th_open':
    case 'td_open':
      return { type: 'tableCell', children: [] };
    case 'hr':
      return { type: 'thematicBreak' };
    case 'code_block':
      return { type: 'code', value: token.content.replace(/\n$/, '') };
    case 'fence': {
      const [, lang = '', meta = ''] = /^(\S*)\s*(.*)$/s.exec(token.info.trim()) ?? [];
      return {
        type: 'code',
        ...(lang && { lang }),
        ...(meta && { meta }),
        value: token.content.replace(/\n$/, ''),
      };
    }
    default:
      return undefined;
  }
}

function setApart(open: readonly Parent[]): void {
  const [list, item] = open.slice(-2) as Nodes[];
  if (list?.type !== 'list' || item?.type !== 'listItem') return;
  list.spread = true;
  item.spread = true;
}

function phrasing(
  { children, content }: Token,
  parent: Parent,
  blocks: readonly Parent[],
): PhrasingContent[] {
  const root: { children: PhrasingContent[] } = { children: [] };
  const open = [root];
  const add = (node: PhrasingContent) => {
    const into = open.at(-1) ?? root;
    const last = into.children.at(-1);
    if (node.type === 'text' && last?.type === 'text') last.value += node.value;
    else if (node.type !== 'text' || node.value !== '') into.children.push(node);
    if ('children' in node) return node;
    return undefined;
  };
  for (const token of children ?? []) {
    if (token.nesting < 0) {
      if (open.length > 1) open.pop();
      continue;
    }
    const node = add(inlineOf(token, parent));
    if (token.nesting > 0) open.push(node ?? root);
  }
  // In the source: an escaped bracket is text.
  if (TASK.test(content)) markTask(root.children, parent, blocks.at(-2));
  return root.children;
}

function inlineOf(token: Token, parent: Parent): PhrasingContent {
  switch (token.type) {
    case 'softbreak':
      return { type: 'text', value: '\n' };
    case 'hardbreak':
      return { type: 'break' };
    case 'code_inline':
      return { type: 'inlineCode', value: token.content };
    case 'em_open':
      return { type: 'emphasis', children: [] };
    case 'strong_open':
      return { type: 'strong', children: [] };
    case 's_open':
      return { type: 'delete', children: [] };
    case 'link_open':
      return {
        type: 'link',
        url: attribute(token, 'href'),
        title: attribute(token, 'title') || null,
        children: [],
      };
    case 'image': {
      const url = attribute(token, 'src');
      const label = wordsOf({ type: 'root', children: phrasing(token, parent, []) });
      // Never a mention, which has its own form.
      if (!isLinkable(url)) return { type: 'text', value: addressText(url, label) };
      return { type: 'link', url, data: { image: true }, children: [{ type: 'text', value: label || url }] };
    }
    default:
      return { type: 'text', value: token.content };
  }
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

const TASK = /^\[([ xX])\][ \t\n]+/;

/** Converts `[ ] ` at the start of a list item to a task. */
function markTask(children: PhrasingContent[], paragraph: Parent, item: Parent | undefined): void {
  const [first] = children;
  if (first?.type !== 'text' || !isItem(item) || (item.children as Nodes[])[0] !== paragraph) return;
  const [mark, done] = TASK.exec(first.value) ?? [];
  if (mark === undefined || (mark === first.value && children.length === 1)) return;
  item.checked = done !== ' ';
  first.value = first.value.slice(mark.length);
}

function isItem(node: Parent | undefined): node is ListItem {
  return (node as Nodes | undefined)?.type === 'listItem';
}

/** Returns the text of a tree without its syntax. @param betweenItems separates the items of a list. */
export function wordsOf(node: Nodes, betweenItems = '\n'): string {
  if ('children' in node) {
    const isBlock = node.type === 'root' || node.type === 'blockquote' || node.type === 'listItem';
    const between = node.type === 'list' ? betweenItems : isBlock ? '\n' : '';
    return node.children.map((child) => wordsOf(child, betweenItems)).join(between);
  }
  if (node.type === 'break') return '\n';
  return 'value' in node ? node.value : '';
}
