import type { PhrasingContent, RootContent } from 'mdast';
import { z } from 'zod';

import { isBlock } from '../../platform/text/markdown.ts';
import { blockNodes, linkPhrase, mrkdwnLine, richTextNodes } from './from-blocks.ts';
import { mrkdwnElements } from './mrkdwn.ts';
import type { Names } from './rich-text.ts';

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
export interface OwnAttachment extends Omit<Attachment, 'message_blocks'> {
  messages: { blocks: readonly unknown[]; attachments: OwnAttachment[] }[];
}

/** Forwards within forwards that are read. */
const MAX_FORWARD_DEPTH = 3;

/**
 * Returns the attachments that belong to a message: messages that its author forwarded, and attachments that an app
 * gave its own message. Link previews are left out, both Slack's and those of apps (`chat.unfurl`), which may show
 * content that not every reader of the ticket may see. Recorded previews of apps have `is_app_unfurl`, `app_unfurl_url`
 * and the app's `bot_id`, but no `from_url` (https://docs.slack.dev/messaging/unfurling-links-in-messages; recorded in
 * ABTech/zulip_slack_integration).
 * @param botId the app that wrote the message; undefined if a person did.
 */
export function ownAttachments(
  attachments: readonly unknown[],
  botId: string | undefined,
  depth = 0,
): OwnAttachment[] {
  if (depth > MAX_FORWARD_DEPTH) return [];
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
export function attachmentNodes(attachments: readonly OwnAttachment[], known: Names): RootContent[] {
  const names: Names = {
    ...known,
    user: (id) => {
      const user = known.user(id);
      return user && { name: user.name };
    },
  };
  return attachments.flatMap((attachment) => attachmentToNodes(attachment, names));
}

function attachmentToNodes(attachment: OwnAttachment, names: Names): RootContent[] {
  const { pretext, is_share, messages, blocks } = attachment;
  const inner = messages.flatMap((message) => [
    ...blockNodes(message.blocks, names),
    ...attachmentNodes(message.attachments, names),
  ]);
  const forwarded = inner.length > 0 ? inner : blockNodes(blocks, names);
  const body = [
    ...titleNodes(attachment, names),
    ...(forwarded.length > 0 ? forwarded : richTextNodes(mrkdwnElements(attachment.text), names)),
    ...linkAndFieldNodes(attachment, names),
  ];
  const shown = body.length > 0 ? body : richTextNodes(mrkdwnElements(attachment.fallback), names);
  return [
    ...richTextNodes(mrkdwnElements(pretext), names),
    ...(is_share ? sourceNodes(attachment) : []),
    ...(shown.length > 0 ? [{ type: 'blockquote' as const, children: shown.filter(isBlock) }] : []),
  ];
}

/** Returns the line that names the author and the channel of a forwarded message. */
function sourceNodes({ author_name, channel_name, from_url }: OwnAttachment): RootContent[] {
  const place = channel_name && !channel_name.includes(' ') ? ` in #${channel_name.replace(/^#/, '')}` : '';
  const children = linkPhrase(from_url, `Forwarded from ${author_name || 'an unknown author'}${place}`);
  return [{ type: 'paragraph', children }];
}

function titleNodes({ title, title_link }: OwnAttachment, names: Names): RootContent[] {
  if (!title) return [];
  const children = title_link ? linkPhrase(title_link, title) : mrkdwnLine(title, names);
  return children.length > 0 ? [{ type: 'paragraph', children: [{ type: 'strong', children }] }] : [];
}

function linkAndFieldNodes({ fields, files, image_url }: OwnAttachment, names: Names): RootContent[] {
  const links = [
    ...files.map(({ name, title, permalink }) => linkPhrase(permalink, name || title)),
    ...(image_url ? [linkPhrase(image_url, 'image')] : []),
  ];
  return [
    ...fields.flatMap((field) => fieldNodes(field, names)),
    ...links.filter((link) => link.length > 0).map((children) => ({ type: 'paragraph' as const, children })),
  ];
}

/** A field with a short value is one line; a value with several lines, a list or code follows its title. */
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
