import type { Root } from 'mdast';

import { attachmentNodes } from './from-attachments.ts';
import { blockNodes } from './from-blocks.ts';
import { richTextNodes } from './from-rich-text.ts';
import { plainToMarkdown } from '../../platform/text/budget.ts';
import { addressText } from '../../platform/text/clean.ts';
import { writeMarkdown } from '../../platform/text/markdown.ts';
import { mrkdwnElements, plainMrkdwn } from './mrkdwn.ts';
import { type Names, plainOf } from './paragraphs.ts';
import { Inline } from './rich-text.ts';

export type { Names } from './paragraphs.ts';

export interface ChatText {
  text: string;
  blocks: readonly unknown[];
  /** Forwarded messages, and what apps write in the older form. */
  attachments?: readonly unknown[];
}

/**
 * Markdown of a chat message: from its blocks, else from its mrkdwn text; then its attachments. A mention becomes
 * `[@Name](user:usr_…)`, the one form that is a mention in a ticket (B19).
 */
export function chatToMarkdown(message: ChatText, names: Names): string {
  const known = withLabels(message.text, names);
  const { text, blocks, attachments = [] } = message;
  if (Math.max(costOf(text), costOf(blocks)) + costOf(attachments) > COST_AT_MOST)
    return plainToMarkdown(
      [plainOfAll(blocks, known) || plainMrkdwn(text), plainOfAll(attachments, known)].join('\n\n'),
    );
  const shown = blockNodes(blocks, known);
  const children = [
    ...(shown.length > 0 ? shown : richTextNodes(mrkdwnElements(text), known)),
    ...attachmentNodes(attachments, known),
  ];
  return writeMarkdown({ type: 'root', children } satisfies Root);
}

/** What may be converted before it holds the event loop for too long: 5 µs for each. */
const COST_AT_MOST = 4_000;

/** Deeper than any block that is read. */
const DEEPEST = 60;

/** Lines and elements, and half as much for each mark of mrkdwn. */
function costOf(value: unknown, depth = 0): number {
  if (typeof value === 'string')
    return (value.match(/\n/g)?.length ?? 0) + (value.match(/[<*_~`]/g)?.length ?? 0) / 2;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + costOf(part, depth + 1), 1);
}

const WORDS = ['text', 'title', 'value', 'pretext', 'description', 'alt_text', 'label', 'url', 'name'];

/** All words of blocks and attachments, where they are too many to be converted. */
function plainOfAll(value: unknown, names: Names, depth = 0): string {
  if (Array.isArray(value)) {
    const inline = value.some((each) => Inline.safeParse(each).success);
    return value.map((each) => plainOfAll(each, names, depth + 1)).join(inline ? '' : '\n');
  }
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return '';
  const inline = Inline.safeParse(value).data;
  if (inline?.type === 'link') return addressText(inline.url, inline.text ?? '');
  if (inline) return plainOf(inline, names);
  return Object.entries(value)
    .map(([name, part]: [string, unknown]) =>
      typeof part === 'string'
        ? WORDS.includes(name)
          ? plainMrkdwn(part)
          : ''
        : plainOfAll(part, names, depth + 1),
    )
    .filter(Boolean)
    .join('\n');
}

/** Whether a message says anything beside naming one user; needs no look-ups. */
export function saysMoreThan(user: string, message: ChatText): boolean {
  const isNamed = (id: string) => (id === user ? { name: '' } : undefined);
  const words = chatToMarkdown(message, { user: isNamed, channel: () => undefined });
  return !/^@?\s*$/.test(words);
}

/** Chat users whom a message itself mentions; who is named in a message that it forwards is not meant by it. */
export function mentionedUsers({ text, blocks }: ChatText): string[] {
  const inBlocks = JSON.stringify(blocks).matchAll(/"user_id":"([A-Z0-9]+)"/g);
  const inText = text.matchAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g);
  return [...new Set([...inBlocks, ...inText].map(([, id = '']) => id))];
}

/** The users and channels that a message names anywhere, so that their names can be looked up first. */
export function namedIn({ text, blocks, attachments = [] }: ChatText): {
  users: string[];
  channels: string[];
} {
  const all = JSON.stringify([text, blocks, attachments]);
  const ids = (pattern: RegExp) => [
    ...new Set([...all.matchAll(pattern)].map(([, element, reference]) => element ?? reference ?? '')),
  ];
  return {
    users: ids(/"user_id":"([A-Z0-9]+)"|<@([A-Z0-9]+)(?:\|[^>]*)?>/g),
    channels: ids(/"channel_id":"([A-Z0-9]+)"|<#([A-Z0-9]+)(?:\|[^>]*)?>/g),
  };
}

/** Chat writes some references with their name in the text, which its blocks leave out. */
function withLabels(text: string, names: Names): Names {
  const labels = new Map(
    [...text.matchAll(/<(?:#|!subteam\^)([A-Z0-9]+)\|[@#]?([^<>|]+)>/g)].map(([, id = '', label = '']) => [
      id,
      label,
    ]),
  );
  return {
    user: (id) => names.user(id),
    channel: (id) => names.channel(id) ?? labels.get(id),
    group: (id) => names.group?.(id) ?? labels.get(id),
  };
}
