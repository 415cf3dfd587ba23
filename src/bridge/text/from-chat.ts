import type { Root } from 'mdast';

import { attachmentNodes } from './from-attachments.ts';
import { blockNodes } from './from-blocks.ts';
import { richTextNodes } from './from-rich-text.ts';
import { writeMarkdown } from '../../platform/text/markdown.ts';
import { mrkdwnElements } from './mrkdwn.ts';
import type { Names } from './paragraphs.ts';

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
  const shown = blockNodes(message.blocks, known);
  const children = [
    ...(shown.length > 0 ? shown : richTextNodes(mrkdwnElements(message.text), known)),
    ...attachmentNodes(message.attachments ?? [], known),
  ];
  return writeMarkdown({ type: 'root', children } satisfies Root);
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
