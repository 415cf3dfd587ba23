// Translates text in both directions: from-chat.ts makes Markdown of Slack's blocks and mrkdwn, to-chat.ts makes
// Slack messages of Markdown. Nothing here reads or writes anything.

import type { PhrasingContent, RootContent, Root } from 'mdast';
import { z } from 'zod';

import { isBlank } from '../../contract/index.ts';
import { isBlock, wordsOf, writeMarkdown } from '../../platform/text/markdown.ts';
import { blockNodes, linkOf, mrkdwnLine, richTextNodes } from './from-blocks.ts';
import { mrkdwnElements, plainMrkdwn } from './mrkdwn.ts';
import { type Names, plainOf, Inline } from './rich-text.ts';
import { plainToMarkdown } from '../../platform/text/budget.ts';
import { addressText } from '../../platform/text/clean.ts';
import type { FileState } from '../slack/file.ts';

const text = z.string().catch('');
const list = z.array(z.unknown()).catch([]);

/**
 * An attachment: a forwarded message (`is_share`, with its text in `message_blocks` or `text`), or an app's legacy one.
 * Source: https://docs.slack.dev/messaging/formatting-message-text#attachments; the fields of forwarded messages are
 * from slackapi/java-slack-sdk issue 1179.
 */
const Attachment = z.object({
  is_share: z.boolean().catch(false),
  is_app_unfurl: z.boolean().catch(false),
  app_unfurl_url: text,
  from_url: text,
  original_url: text,
  bot_id: text,
  author_name: text,
  channel_name: text,
  pretext: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  image_url: text,
  fields: z.array(z.object({ title: text, value: text })).catch([]),
  blocks: list,
  message_blocks: z
    .array(z.object({ message: z.object({ blocks: list, attachments: list, bot_id: text }) }))
    .catch([]),
  files: z.array(z.object({ name: text, title: text, permalink: text })).catch([]),
});
type Attachment = z.infer<typeof Attachment>;

/** An attachment without the previews in the messages that it forwards. */
interface OwnAttachment extends Omit<Attachment, 'message_blocks'> {
  messages: { blocks: readonly unknown[]; attachments: OwnAttachment[] }[];
}

const DEEPEST_ATTACHMENT = 3;

/**
 * Returns the attachments of a message that are its author's words: what they forwarded, and what an app attached to
 * its own message. Previews of links are not, neither Slack's nor those of apps (`chat.unfurl`), which may show what
 * only they may see. Real ones of apps have `is_app_unfurl`, `app_unfurl_url` and the `bot_id` of the app, but no
 * `from_url` (https://docs.slack.dev/messaging/unfurling-links-in-messages; recorded in
 * ABTech/zulip_slack_integration).
 * @param botId of the app that wrote the message; undefined if a person did.
 */
function ownAttachments(
  attachments: readonly unknown[],
  botId: string | undefined,
  depth = 0,
): OwnAttachment[] {
  if (depth > DEEPEST_ATTACHMENT) return [];
  return attachments.flatMap((raw) => {
    const parsed = Attachment.safeParse(raw);
    if (!parsed.success || isPreview(parsed.data, botId)) return [];
    const { message_blocks, ...own } = parsed.data;
    const messages = message_blocks.map(({ message }) => ({
      blocks: message.blocks,
      attachments: ownAttachments(message.attachments, message.bot_id || undefined, depth + 1),
    }));
    return [{ ...own, messages }];
  });
}

function isPreview(attachment: Attachment, botId: string | undefined): boolean {
  const { is_share, is_app_unfurl, app_unfurl_url, from_url, original_url, bot_id } = attachment;
  if (is_app_unfurl || app_unfurl_url !== '') return true;
  if (is_share) return false;
  return from_url !== '' || original_url !== '' || (bot_id !== '' && bot_id !== botId);
}

/** Returns attachments in Markdown; mentions in a forwarded message become names. */
function attachmentNodes(attachments: readonly OwnAttachment[], known: Names): RootContent[] {
  const names: Names = {
    ...known,
    user: (id) => {
      const user = known.user(id);
      return user && { name: user.name };
    },
  };
  return attachments.flatMap((attachment) => nodesOf(attachment, names));
}

function nodesOf(attachment: OwnAttachment, names: Names): RootContent[] {
  const { pretext, is_share, messages, blocks } = attachment;
  const inner = messages.flatMap((message) => [
    ...blockNodes(message.blocks, names),
    ...attachmentNodes(message.attachments, names),
  ]);
  const said = inner.length > 0 ? inner : blockNodes(blocks, names);
  const body = [
    ...titleOf(attachment, names),
    ...(said.length > 0 ? said : richTextNodes(mrkdwnElements(attachment.text), names)),
    ...restOf(attachment, names),
  ];
  const shown = body.length > 0 ? body : richTextNodes(mrkdwnElements(attachment.fallback), names);
  return [
    ...richTextNodes(mrkdwnElements(pretext), names),
    ...(is_share ? sourceOf(attachment) : []),
    ...(shown.length > 0 ? [{ type: 'blockquote' as const, children: shown.filter(isBlock) }] : []),
  ];
}

/** Returns the author of a forwarded message, and its place. */
function sourceOf({ author_name, channel_name, from_url }: OwnAttachment): RootContent[] {
  const where = channel_name && !channel_name.includes(' ') ? ` in #${channel_name.replace(/^#/, '')}` : '';
  const children = linkOf(from_url, `Forwarded from ${author_name || 'somebody'}${where}`);
  return [{ type: 'paragraph', children }];
}

function titleOf({ title, title_link }: OwnAttachment, names: Names): RootContent[] {
  if (!title) return [];
  const children = title_link ? linkOf(title_link, title) : mrkdwnLine(title, names);
  return children.length > 0 ? [{ type: 'paragraph', children: [{ type: 'strong', children }] }] : [];
}

function restOf({ fields, files, image_url }: OwnAttachment, names: Names): RootContent[] {
  const links = [
    ...files.map(({ name, title, permalink }) => linkOf(permalink, name || title)),
    ...(image_url ? [linkOf(image_url, 'image')] : []),
  ];
  return [
    ...fields.flatMap((field) => fieldNodes(field, names)),
    ...links.filter((link) => link.length > 0).map((children) => ({ type: 'paragraph' as const, children })),
  ];
}

/** A field is one line if its value is; a value with lines, lists or code follows its title. */
function fieldNodes({ title, value }: { title: string; value: string }, names: Names): RootContent[] {
  const name = mrkdwnLine(title, names);
  const nodes = richTextNodes(mrkdwnElements(value), names);
  const [first, ...others] = nodes;
  if (first === undefined) return name.length > 0 ? [{ type: 'paragraph', children: name }] : [];
  if (name.length === 0) return nodes;
  const isLine = first.type === 'paragraph' && others.length === 0 && !first.children.some(isBreak);
  const line: PhrasingContent[] = isLine ? [{ type: 'text', value: ' ' }, ...first.children] : [];
  return [
    { type: 'paragraph', children: [...name, { type: 'text', value: ':' }, ...line] },
    ...(isLine ? [] : nodes),
  ];
}

function isBreak(node: PhrasingContent): boolean {
  return node.type === 'break';
}

export type { Names } from './rich-text.ts';

export interface ChatText {
  text: string;
  blocks: readonly unknown[];
  /** Forwarded messages, legacy attachments of apps, and previews of links. */
  attachments?: readonly unknown[];
  /** It is what a person typed outside of the composer, which has no blocks. */
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
  if (Math.max(costOf(text), costOf(blocks)) + costOf(attachments) > COST_AT_MOST)
    return plainToMarkdown(
      [plainOfAll(blocks, known) || plainMrkdwn(text), plainOfAll(attachments, known)].join('\n\n'),
    );
  const shown = blockNodes(blocks, known);
  const children = [
    ...(shown.length > 0 ? shown : richTextNodes(mrkdwnElements(text, message.typed), known)),
    ...attachmentNodes(attachments, known),
  ];
  const root: Root = { type: 'root', children };
  return showsNothing(root) ? '' : writeMarkdown(root);
}

/** A list, a quote or code with nothing in it that is seen would be read as its syntax. */
function showsNothing(root: Root): boolean {
  return isBlank(wordsOf(root)) && !root.children.some(({ type }) => type === 'thematicBreak');
}

/** Maximum cost of a conversion before it blocks the event loop for too long: 5 µs per unit. */
const COST_AT_MOST = 4_000;

/** Deeper than any block that is read. */
const DEEPEST = 60;

/** Lines and elements, and half as much for each mrkdwn mark. */
function costOf(value: unknown, depth = 0): number {
  if (typeof value === 'string')
    return (value.match(/\n/g)?.length ?? 0) + (value.match(/[<*_~`]/g)?.length ?? 0) / 2;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + costOf(part, depth + 1), 1);
}

const WORDS = ['text', 'title', 'value', 'pretext', 'description', 'alt_text', 'label', 'url', 'name'];

/** Returns the plain text of blocks and attachments that are too large to convert. */
function plainOfAll(value: unknown, names: Names, depth = 0): string {
  if (Array.isArray(value)) {
    const inline = value.some((each) => typeof each === 'object' && Inline.safeParse(each).success);
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
  // Most messages mention nobody; converting them only to find out if they are empty would be slow.
  const hasLetters = /[\p{L}\p{N}]/u.test(message.text) && !isBlank(message.text);
  if (hasLetters && !mentionedUsers(message).includes(user)) return true;
  const isNamed = (id: string) => (id === user ? { name: '' } : undefined);
  const words = chatToMarkdown(message, { user: isNamed, channel: () => undefined });
  return !isBlank(words.replaceAll(/[@\\]/g, ''));
}

/** Returns the chat users that a message itself mentions, not those in forwarded messages. */
export function mentionedUsers({ text, blocks }: ChatText): string[] {
  return namedIn({ text, blocks }).users;
}

/**
 * Returns the users, channels and user groups in a message, so that their names can be looked up first. In rich text
 * only its elements name somebody: `<@U1>` that a person typed is text.
 */
export function namedIn({ text, blocks, attachments = [] }: ChatText): {
  users: string[];
  channels: string[];
  groups: string[];
} {
  const found: Named = { users: new Set(), channels: new Set(), groups: new Set() };
  if (!blocks.some((block) => RichText.safeParse(block).success)) addNamedInMrkdwn(text, found);
  addNamed(blocks, found);
  addNamed(attachments, found);
  return { users: [...found.users], channels: [...found.channels], groups: [...found.groups] };
}

const RichText = z.object({ type: z.literal('rich_text') });
const ID = /^[A-Z0-9]{1,40}$/;
/** Texts without references: of rich text, and plain ones. */
const UNNAMED: ReadonlySet<unknown> = new Set(['text', 'link', 'emoji', 'plain_text', 'markdown']);

interface Named {
  users: Set<string>;
  channels: Set<string>;
  groups: Set<string>;
}

function addNamed(value: unknown, found: Named, depth = 0): void {
  if (typeof value === 'string') addNamedInMrkdwn(value, found);
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  // A long text has thousands of elements: checked by hand, as a schema of each kind takes a tenth of a second for
  // them.
  const { type, user_id, channel_id, usergroup_id } = value as Record<string, unknown>;
  const isId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);
  if (type === 'user' && isId(user_id)) found.users.add(user_id);
  else if (type === 'usergroup' && isId(usergroup_id)) found.groups.add(usergroup_id);
  else if (type === 'channel' && isId(channel_id)) found.channels.add(channel_id);
  else if (!UNNAMED.has(type)) for (const part of Object.values(value)) addNamed(part, found, depth + 1);
}

/** A reference in mrkdwn; a label has no marks of other references, so that each character is read once. */
const IN_MRKDWN = /<(@|#|!subteam\^)([A-Z0-9]{1,40})(?:\|[^<>]*)?>/g;

function addNamedInMrkdwn(text: string, { users, channels, groups }: Named): void {
  for (const [, mark, id = ''] of text.matchAll(IN_MRKDWN))
    if (mark === '@') users.add(id);
    else if (mark === '#') channels.add(id);
    else groups.add(id);
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

const WHY_NOT: Record<Exclude<FileState, 'shown' | 'outside' | 'ask'>, string> = {
  deleted: 'deleted in Slack',
  hidden: 'hidden by Slack, whose storage is full',
  unseen: 'Slack does not show it to this app',
};

/**
 * Returns one line of Markdown for a file: its name as a link to Slack's own page, with type and size, or its name and
 * why there is no more (B18). The link requires Slack's login; URLs of the bytes are never forwarded.
 */
export function fileLine(
  file: { name: string; mimetype: string; bytes: number; permalink: string },
  state: Exclude<FileState, 'ask'>,
): string {
  const label =
    file.name
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll(/[\\`*_~[\]<>&!]/g, '\\$&') || 'a file';
  if (state !== 'shown' && state !== 'outside') return `${label} (${WHY_NOT[state]})`;
  const facts = [
    file.mimetype,
    state === 'outside' ? 'kept outside Slack' : file.bytes > 0 ? sizeText(file.bytes) : '',
  ].filter(Boolean);
  const link = /^https?:\/\/[^\s<>]+$/.test(file.permalink) ? `[${label}](<${file.permalink}>)` : label;
  return facts.length > 0 ? `${link} (${facts.join(', ')})` : link;
}

/** Formats a size; `bytes` may be 0. */
export function sizeText(bytes: number): string {
  return bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} kB`;
}
