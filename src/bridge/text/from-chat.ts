import type { BlockContent, List, ListItem, PhrasingContent, Root } from 'mdast';

import { writeMarkdown } from './markdown.ts';
import { type Element, type Inline, type ListElement, RichText, type Style } from './rich-text.ts';

/** What a reference in a chat message is called; a name that is not known is shown by its id. */
export interface Names {
  /** The name of a chat user, and the id of the service's user where there is one. */
  user(id: string): { name: string; userId?: string | undefined } | undefined;
  channel(id: string): string | undefined;
}

export interface ChatText {
  text: string;
  blocks: readonly unknown[];
}

/**
 * Markdown of a chat message: from its `rich_text` block, else from its mrkdwn text. A mention becomes
 * `[@Name](user:usr_…)`, the one form that is a mention in a ticket (B19).
 */
export function chatToMarkdown(message: ChatText, names: Names): string {
  const richText = message.blocks.flatMap((block) => {
    const parsed = RichText.safeParse(block);
    return parsed.success ? parsed.data.elements : [];
  });
  const elements = richText.length > 0 ? richText : mrkdwnElements(message.text);
  return writeMarkdown({
    type: 'root',
    children: elements.flatMap((element, at) => blockOf(element, elements, at, names)),
  } satisfies Root);
}

/** Chat users whom a message mentions, so that their names can be looked up first. */
export function mentionedUsers(message: ChatText): string[] {
  const inBlocks = JSON.stringify(message.blocks).matchAll(/"user_id":"([A-Z0-9]+)"/g);
  const inText = message.text.matchAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g);
  return [...new Set([...inBlocks, ...inText].map(([, id = '']) => id))];
}

function blockOf(element: Element, all: readonly Element[], at: number, names: Names): BlockContent[] {
  switch (element.type) {
    case 'rich_text_section':
      return paragraphs(element.elements, names);
    case 'rich_text_preformatted':
      return [{ type: 'code', value: element.elements.map(plainOf).join('') }];
    case 'rich_text_quote':
      return [{ type: 'blockquote', children: paragraphs(element.elements, names) }];
    case 'rich_text_list': {
      // Chat writes a nested list as sibling lists of growing indent: one run of siblings is one tree of ours.
      const previous = all[at - 1];
      if (previous?.type === 'rich_text_list') return [];
      const run = all.slice(at);
      const end = run.findIndex((sibling) => sibling.type !== 'rich_text_list');
      return listTree(
        run.slice(0, end === -1 ? undefined : end).filter((sibling) => sibling.type === 'rich_text_list'),
        names,
      );
    }
  }
}

function listTree(run: readonly ListElement[], names: Names): List[] {
  const roots: List[] = [];
  const open: { indent: number; list: List }[] = [];
  for (const element of run) {
    const indent = element.indent ?? 0;
    while ((open.at(-1)?.indent ?? -1) > indent) open.pop();
    const ordered = element.style === 'ordered';
    const current = open.at(-1);
    let list = current?.indent === indent && current.list.ordered === ordered ? current.list : undefined;
    if (!list) {
      if (current?.indent === indent) open.pop();
      list = {
        type: 'list',
        ordered,
        spread: false,
        start: ordered ? (element.offset ?? 0) + 1 : null,
        children: [],
      };
      const parent = open.at(-1)?.list.children.at(-1);
      if (parent) parent.children.push(list);
      else roots.push(list);
      open.push({ indent, list });
    }
    for (const section of element.elements) {
      const item: ListItem = {
        type: 'listItem',
        spread: false,
        children: paragraphs(section.elements, names),
      };
      list.children.push(item);
    }
  }
  return roots;
}

/** A section's text: an empty line in it parts paragraphs, a single newline is a hard break. */
function paragraphs(elements: readonly Inline[], names: Names): BlockContent[] {
  const groups: PhrasingContent[][] = [[]];
  for (const element of elements) {
    if (element.type !== 'text') {
      groups.at(-1)?.push(...phrasing(element, names));
      continue;
    }
    element.text.split(/\n{2,}/).forEach((part, index) => {
      if (index > 0) groups.push([]);
      part.split('\n').forEach((line, lineIndex) => {
        if (lineIndex > 0) groups.at(-1)?.push({ type: 'break' });
        if (line) groups.at(-1)?.push(...styled(line, element.style));
      });
    });
  }
  return groups
    .map(trimBreaks)
    .filter((group) => group.length > 0)
    .map((children) => ({ type: 'paragraph', children }));
}

function trimBreaks(nodes: PhrasingContent[]): PhrasingContent[] {
  const from = nodes.findIndex((node) => node.type !== 'break');
  const to = nodes.findLastIndex((node) => node.type !== 'break');
  return from === -1 ? [] : nodes.slice(from, to + 1);
}

function phrasing(element: Exclude<Inline, { type: 'text' }>, names: Names): PhrasingContent[] {
  switch (element.type) {
    case 'link': {
      const label = element.text ?? element.url;
      return wrap(
        [{ type: 'link', url: element.url, children: [{ type: 'text', value: label }] }],
        element.style,
      );
    }
    case 'user': {
      const known = names.user(element.user_id);
      const label: PhrasingContent = { type: 'text', value: `@${known?.name ?? element.user_id}` };
      return wrap(
        known?.userId ? [{ type: 'link', url: `user:${known.userId}`, children: [label] }] : [label],
        element.style,
      );
    }
    case 'channel':
      return wrap(
        [{ type: 'text', value: `#${names.channel(element.channel_id) ?? element.channel_id}` }],
        element.style,
      );
    case 'usergroup':
      return wrap([{ type: 'text', value: `@${element.usergroup_id}` }], element.style);
    case 'broadcast':
      return wrap([{ type: 'text', value: `@${element.range}` }], element.style);
    case 'emoji':
    case 'color':
    case 'date':
      return [{ type: 'text', value: plainOf(element) }];
  }
}

function plainOf(element: Inline): string {
  switch (element.type) {
    case 'text':
      return element.text;
    case 'link':
      return element.text ?? element.url;
    case 'emoji':
      return emojiOf(element) ?? `:${element.name}:`;
    case 'color':
      return element.value;
    case 'date':
      return element.fallback ?? new Date(element.timestamp * 1000).toISOString();
    case 'user':
      return `@${element.user_id}`;
    case 'usergroup':
      return `@${element.usergroup_id}`;
    case 'channel':
      return `#${element.channel_id}`;
    case 'broadcast':
      return `@${element.range}`;
  }
}

/** `1f44b-1f3fd` → 👋🏽; custom emoji have no code points and stay `:name:`. */
function emojiOf({ unicode }: { unicode?: string | undefined }): string | undefined {
  if (!unicode || !/^[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/i.test(unicode)) return undefined;
  const points = unicode.split('-').map((hex) => Number.parseInt(hex, 16));
  return points.every((point) => point <= 0x10_ff_ff) ? String.fromCodePoint(...points) : undefined;
}

/** Markdown cannot open or close a style beside a blank, so blanks at the edge stay outside of it. */
function styled(value: string, style: Style): PhrasingContent[] {
  if (style?.code) return wrap([{ type: 'inlineCode', value }], { ...style, code: false });
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(value) ?? [];
  if (!inner) return [{ type: 'text', value }];
  const text = (blank: string): PhrasingContent[] => (blank ? [{ type: 'text', value: blank }] : []);
  return [...text(before), ...wrap([{ type: 'text', value: inner }], style), ...text(after)];
}

function wrap(children: PhrasingContent[], style: Style): PhrasingContent[] {
  let nodes = children;
  if (style?.strike) nodes = [{ type: 'delete', children: nodes }];
  if (style?.italic) nodes = [{ type: 'emphasis', children: nodes }];
  if (style?.bold) nodes = [{ type: 'strong', children: nodes }];
  return nodes;
}

/** Text of apps that send no `rich_text`: references are read, styles stay as they were typed. */
function mrkdwnElements(text: string): Element[] {
  const elements: Inline[] = [];
  let last = 0;
  const plain = (raw: string) => {
    if (raw) elements.push({ type: 'text', text: unescapeChat(raw), style: undefined });
  };
  for (const match of text.matchAll(/<([^>\n]+)>/g)) {
    plain(text.slice(last, match.index));
    elements.push(reference(match[1] ?? ''));
    last = match.index + match[0].length;
  }
  plain(text.slice(last));
  return [{ type: 'rich_text_section', elements }];
}

function reference(inner: string): Inline {
  const [target = '', label] = inner.split('|', 2);
  const style = undefined;
  if (/^@[A-Z0-9]+$/.test(target)) return { type: 'user', user_id: target.slice(1), style };
  if (/^#[A-Z0-9]+$/.test(target)) return { type: 'channel', channel_id: target.slice(1), style };
  if (target.startsWith('!'))
    return { type: 'text', text: unescapeChat(label ?? `@${target.slice(1)}`), style };
  return { type: 'link', url: unescapeChat(target), ...(label ? { text: unescapeChat(label) } : {}), style };
}

/** Chat escapes exactly these three. */
export function unescapeChat(escaped: string): string {
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
