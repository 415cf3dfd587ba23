import type { Delete, Emphasis, Link, Nodes, Paragraph, PhrasingContent, Root, Strong, Text } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { defaultHandlers, type Handle, type Options, type State, toMarkdown } from 'mdast-util-to-markdown';

import { addressesIn } from './addresses.ts';
import { needsPlainMarkdown, plainToMarkdown, plainWords } from './budget.ts';
import { readMarkdown } from './read-markdown.ts';

/** No `@` needs an escape: only links are mentions. */
const EXTENSIONS = gfmToMarkdown({ tablePipeAlign: false }).extensions?.filter(
  (extension) => !extension.unsafe?.some(({ character }) => character === '@'),
) as Options[];

/** Writes a tree as Markdown that readMarkdown() reads as the same tree, with syntax characters in text escaped. */
export function writeMarkdown(tree: Root): string {
  if (needsPlainMarkdown(tree)) return plainToMarkdown(plainWords(tree));
  return written(tree, spellingsIn(tree));
}

type Styled = Strong | Emphasis | Delete;
/** How a styled node is written: with these markers, or (empty) as plain words. */
type Spellings = Map<Styled, string>;

declare module 'mdast' {
  interface StrongData {
    marker?: string;
  }
  interface EmphasisData {
    marker?: string;
  }
  interface DeleteData {
    marker?: string;
  }
}

function written(tree: Root, spellings: Spellings): string {
  const styled = Object.assign(writeStyled, { peek: (node: Styled) => markerOf(node).charAt(0) });
  return toMarkdown(spelled(tree, spellings), {
    extensions: EXTENSIONS,
    bullet: '-',
    rule: '-',
    listItemIndent: 'one',
    fences: true,
    handlers: { strong: styled, emphasis: styled, delete: styled, text: writeText, link: writeLink },
  }).trimEnd();
}

/**
 * Returns a tree whose styled nodes know their markers. Those without markers are gone, and their words belong to the
 * text around them: only a whole text shows what needs an escape, such as the dot in `1. `.
 */
function spelled<Node extends Nodes>(node: Node, spellings: Spellings): Node {
  if (!('children' in node)) return node;
  const children: Nodes[] = [];
  const add = (child: Nodes): void => {
    const last = children.at(-1);
    if (isStyled(child) && spellings.get(child) === '') child.children.forEach(add);
    else if (child.type === 'text' && last?.type === 'text')
      children.splice(-1, 1, { type: 'text', value: last.value + child.value });
    else children.push(spelled(child, spellings));
  };
  node.children.forEach(add);
  const marker = isStyled(node) ? spellings.get(node) : undefined;
  return { ...node, children, ...(marker !== undefined && { data: { marker } }) };
}

function markerOf(node: Styled): string {
  return node.data?.marker ?? MARKERS[node.type][0] ?? '';
}

const MARKERS: Record<Styled['type'], readonly string[]> = {
  strong: ['**', '__'],
  emphasis: ['_', '*'],
  delete: ['~~'],
};

/**
 * Unlike the library, never writes a letter beside a marker as `&#x7A;`: people, programs and searches read the words
 * of the source, too. spellingsIn() has found markers that are read without.
 */
const writeStyled: Handle = (node: Styled, _, state, info) => {
  const marker = markerOf(node);
  const exit = state.enter(node.type === 'delete' ? 'phrasing' : node.type);
  const tracker = state.createTracker(info);
  const begin = tracker.move(marker);
  const words = state.containerPhrasing(node, { ...tracker.current(), before: marker, after: marker });
  exit();
  return words === '' ? '' : begin + words + marker;
};

/** Returns how styled nodes are written where their usual markers would not be read as such. */
function spellingsIn(tree: Root): Spellings {
  const spellings: Spellings = new Map();
  const visit = (node: Nodes): void => {
    if (!('children' in node)) return;
    if (node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'tableCell') {
      node.children.forEach(visit);
      return;
    }
    const styled = styledIn(node);
    if (styled.length > 0) spell(node.children, styled, spellings);
  };
  visit(tree);
  return spellings;
}

/** More styles in one paragraph are not tried one by one. */
const TRIED = 30;

/**
 * Finds markers for the styled nodes of a paragraph: the usual ones; else the other ones for all; else for each node,
 * from the left, the first that is read right, or none. So a style may be lost, but no word, and no other style. Where
 * some are lost, the rest is written as if they had never been: so a text is written the same again after it came back.
 */
function spell(children: PhrasingContent[], styled: readonly Styled[], spellings: Spellings): void {
  const isRead = () => {
    const [block, ...others] = readMarkdown(written(paragraphOf(children), spellings)).children;
    return (
      others.length === 0 &&
      block?.type === 'paragraph' &&
      runsOf(block.children) === runsOf(children, spellings)
    );
  };
  for (const node of styled) spellings.delete(node);
  if (isRead()) return;
  for (const node of styled) spellings.set(node, MARKERS[node.type].at(-1) ?? '');
  if (isRead()) return;
  for (const node of styled) spellings.set(node, '');
  if (styled.length > TRIED || !isRead()) return;
  for (const node of styled) {
    const read = MARKERS[node.type].find((marker) => {
      spellings.set(node, marker);
      return isRead();
    });
    spellings.set(node, read ?? '');
  }
  const kept = styled.filter((node) => spellings.get(node) !== '');
  if (kept.length < styled.length) spell(children, kept, spellings);
}

function paragraphOf(children: PhrasingContent[]): Root {
  return { type: 'root', children: [{ type: 'paragraph', children } satisfies Paragraph] };
}

function styledIn(node: Nodes): Styled[] {
  const inner = 'children' in node ? node.children.flatMap(styledIn) : [];
  return isStyled(node) ? [node, ...inner] : inner;
}

function isStyled(node: Nodes): node is Styled {
  return node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete';
}

/** Returns what a reader sees of a paragraph, in a form that can be compared: its texts with their styles. */
function runsOf(children: readonly PhrasingContent[], spellings?: Spellings): string {
  const runs: { style: string; text: string }[] = [];
  const add = (style: string, text: string) => {
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else if (text !== '') runs.push({ style, text });
  };
  const visit = (node: Nodes, style: string): void => {
    if (node.type === 'break') add(style, '\n');
    else if (node.type === 'inlineCode') add(`${style} code`, node.value);
    else if ('value' in node) add(style, node.value);
    if (!('children' in node)) return;
    const isPlain = isStyled(node) && spellings?.get(node) === '';
    const own = node.type === 'link' ? ` ${node.url}` : isStyled(node) && !isPlain ? ` ${node.type}` : '';
    // An address in a text is read as a link.
    const isBare =
      node.type === 'link' && node.children.every((child) => 'value' in child && child.value === node.url);
    for (const child of node.children) visit(child, style.includes(own) || isBare ? style : style + own);
  };
  for (const child of children) visit(child, '');
  // White space at the edges of a style is not seen.
  const squeezed = runs.map(({ style, text }) => [style, text.replaceAll(/\s+/g, ' ')]);
  return JSON.stringify(squeezed.filter(([, text]) => text !== ' '));
}

/**
 * Writes a text with its syntax characters escaped. Addresses in it are read before the escapes would matter: they are
 * written as what they are, or broken up where they would take in what follows.
 */
const writeText: Handle = (node: Text, parent, state, info) => {
  const { value } = node;
  const safe = (words: string, before: string, after: string) =>
    state.safe(words, { ...info, before, after });
  // The parser reads no addresses in a label.
  if (state.stack.includes('label') || state.stack.includes('autolink'))
    return safe(value, info.before, info.after);
  // Joined once at the end: to look at the end of a text that grows by pieces, all of it is copied each time.
  const result: string[] = [];
  let last = 0;
  for (const { from, to, words, isLink } of addressesIn(value)) {
    if (!isLink) continue;
    result.push(safe(value.slice(last, from), last === 0 ? info.before : '>', '<'), `<${words}>`);
    last = to;
  }
  const rest = value.slice(last);
  const before = last === 0 ? info.before : '>';
  const next = parent?.children[(state.indexStack.at(-1) ?? 0) + 1];
  const isLast = /^\s?$/.test(info.after) || next?.type === 'break';
  const open = isLast ? undefined : addressesIn(`${rest}x`).at(-1);
  if (open === undefined || open.to <= rest.length)
    return [...result, safe(rest, before, info.after)].join('');
  const broken = safe(rest.slice(open.from), '', info.after).replaceAll(
    /:(?=\/\/)|(?<=www)\./gi,
    String.raw`\$&`,
  );
  return [...result, safe(rest.slice(0, open.from), before, broken.charAt(0)), broken].join('');
};

/** In angle brackets, what follows a `|` would be read as the label. */
const writeLink: Handle = Object.assign(
  ((node: Link, parent, state, info) =>
    withResourceLink(node, state, () => defaultHandlers.link(node, parent, state, info))) satisfies Handle,
  {
    peek: (node: Link, parent: Parameters<Handle>[1], state: State) =>
      withResourceLink(node, state, () => defaultHandlers.link.peek(node, parent, state)),
  },
);

function withResourceLink(node: Link, state: State, write: () => string): string {
  const before = state.options.resourceLink;
  state.options.resourceLink = node.url.includes('|');
  const result = write();
  state.options.resourceLink = before;
  return result;
}
