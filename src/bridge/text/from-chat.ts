// Translates text in both directions: from-chat.ts converts Slack's blocks and mrkdwn to Markdown, to-chat.ts converts
// Markdown to Slack messages. Both are pure.

import type { Root } from 'mdast';

import { isBlank, LIMITS } from '../../contract/index.ts';
import { countOf, plainToMarkdown } from '../../platform/text/budget.ts';
import { addressText } from '../../platform/text/clean.ts';
import { wordsOf, writeMarkdown } from '../../platform/text/markdown.ts';
import { attachmentNodes, ownAttachments } from './attachments.ts';
import { blockNodes, richTextNodes } from './from-blocks.ts';
import { mrkdwnElements, plainMrkdwn } from './mrkdwn.ts';
import { MAX_BLOCK_DEPTH, mentionedUsers } from './references.ts';
import { Inline, type Names, plainOf } from './rich-text.ts';

export interface ChatText {
  text: string;
  blocks: readonly unknown[];
  /** Forwarded messages, legacy attachments of apps, and previews of links. */
  attachments?: readonly unknown[];
  /** A person typed it outside of the composer, so it has no blocks. */
  typed?: boolean;
  /** The app that wrote it; absent or undefined for a person's message. */
  botId?: string | undefined;
}

/**
 * Returns a chat message in Markdown: from its blocks, else from its mrkdwn text; then its attachments. A mention
 * becomes `[@Name](user:usr_…)`, the only form of a mention in a ticket (B19).
 */
export function chatToMarkdown(message: ChatText, names: Names): string {
  const known = withLabels(message.text, names);
  const { text, blocks } = message;
  const attachments = ownAttachments(message.attachments ?? [], message.botId);
  if (Math.max(costOf(text), costOf(blocks)) + costOf(attachments) > MAX_COST)
    return plainToMarkdown(
      [toPlainText(blocks, known) || plainMrkdwn(text), toPlainText(attachments, known)].join('\n\n'),
      LONGEST_PLAIN,
    );
  const shown = blockNodes(blocks, known);
  const children = [
    ...(shown.length > 0 ? shown : richTextNodes(mrkdwnElements(text, message.typed), known)),
    ...attachmentNodes(attachments, known),
  ];
  const root: Root = { type: 'root', children };
  return showsNothing(root) ? '' : writeMarkdown(root);
}

/** An empty list, quote or code block would be shown as its syntax. */
function showsNothing(root: Root): boolean {
  return isBlank(wordsOf(root)) && !root.children.some(({ type }) => type === 'thematicBreak');
}

/** A message that costs more becomes plain text: a unit takes 5 µs, during which the event loop is blocked. */
const MAX_COST = 4_000;

/** Longer than what a ticket holds, so that whoever shortens the text sees that it was longer. */
const LONGEST_PLAIN = 2 * LIMITS.messageContent;

/** Estimates the cost of a conversion: 1 per line and element, ½ per mrkdwn mark. */
function costOf(value: unknown, depth = 0): number {
  if (typeof value === 'string')
    return countOf(value, /\n/g, MAX_COST) + countOf(value, /[<*_~`]/g, 2 * MAX_COST) / 2;
  if (typeof value !== 'object' || value === null || depth > MAX_BLOCK_DEPTH) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + costOf(part, depth + 1), 1);
}

/** Fields of blocks and attachments that contain visible text. */
const TEXT_FIELDS = ['text', 'title', 'value', 'pretext', 'description', 'alt_text', 'label', 'url', 'name'];

/** Returns the plain text of blocks and attachments that are too large to convert. */
function toPlainText(value: unknown, names: Names, depth = 0): string {
  if (Array.isArray(value)) {
    const inline = value.some((each) => typeof each === 'object' && Inline.safeParse(each).success);
    return value.map((each) => toPlainText(each, names, depth + 1)).join(inline ? '' : '\n');
  }
  if (typeof value !== 'object' || value === null || depth > MAX_BLOCK_DEPTH) return '';
  const inline = Inline.safeParse(value).data;
  if (inline?.type === 'link') return addressText(inline.url, inline.text ?? '');
  if (inline) return plainOf(inline, names);
  return Object.entries(value)
    .map(([name, part]: [string, unknown]) =>
      typeof part === 'string'
        ? TEXT_FIELDS.includes(name)
          ? plainMrkdwn(part)
          : ''
        : toPlainText(part, names, depth + 1),
    )
    .filter(Boolean)
    .join('\n');
}

/** Returns whether a message contains anything besides a mention of one user. Looks up no names. */
export function saysMoreThan(user: string, message: ChatText): boolean {
  // Most messages mention nobody, and converting each of them would be slow.
  const hasLetters = /[\p{L}\p{N}]/u.test(message.text) && !isBlank(message.text);
  if (hasLetters && !mentionedUsers(message).includes(user)) return true;
  const isNamed = (id: string) => (id === user ? { name: '' } : undefined);
  const words = chatToMarkdown(message, { user: isNamed, channel: () => undefined });
  return !isBlank(words.replaceAll(/[@\\]/g, ''));
}

/** Adds the names that only the message's text contains: its blocks omit those of some references. */
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
