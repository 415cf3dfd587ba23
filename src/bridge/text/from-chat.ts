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
  /** Forwarded messages, and legacy attachments of apps. */
  attachments?: readonly unknown[];
}

/**
 * Returns a chat message in Markdown: from its blocks, else from its mrkdwn text; then its attachments. A mention
 * becomes `[@Name](user:usr_…)`, the only form of a mention in a ticket (B19).
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

/** Maximum cost of a conversion before it blocks the event loop for too long: 5 µs per unit. */
const COST_AT_MOST = 4_000;

/** Deeper than any block that is read. */
const DEEPEST = 60;

/** Lines and elements, and half as much for each mrkdwn mark. */
function costOf(value: unknown, depth = 0): number {
  if (typeof value === 'string')
    return (value.match(/\n/g)?.length ?? 0) + (value.match(/[<*_~`]/g)?.length ?? 0) / 2;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + costOf(part, depth + 1), 1);
}

const WORDS = ['text', 'title', 'value', 'pretext', 'description', 'alt_text', 'label', 'url', 'name'];

/** Returns the plain text of blocks and attachments that are too large to convert. */
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

/** Returns whether a message contains anything besides a mention of one user; without lookups. */
export function saysMoreThan(user: string, message: ChatText): boolean {
  const isNamed = (id: string) => (id === user ? { name: '' } : undefined);
  const words = chatToMarkdown(message, { user: isNamed, channel: () => undefined });
  return !/^@?\s*$/.test(words);
}

/** Returns the chat users that a message itself mentions, not those in forwarded messages. */
export function mentionedUsers({ text, blocks }: ChatText): string[] {
  const inBlocks = JSON.stringify(blocks).matchAll(/"user_id":"([A-Z0-9]+)"/g);
  const inText = text.matchAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g);
  return [...new Set([...inBlocks, ...inText].map(([, id = '']) => id))];
}

/** Returns the users and channels in a message, so that their names can be looked up first. */
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

/** Slack's text contains the names of some references, which its blocks omit. */
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
