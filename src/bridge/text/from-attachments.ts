import type { PhrasingContent, RootContent } from 'mdast';
import { z } from 'zod';

import { isBlock } from '../../platform/text/markdown.ts';
import { blockNodes, linkOf, mrkdwnLine } from './from-blocks.ts';
import { richTextNodes } from './from-rich-text.ts';
import { mrkdwnElements } from './mrkdwn.ts';
import type { Names } from './paragraphs.ts';

const text = z.string().catch('');
const list = z.array(z.unknown()).catch([]);

/**
 * An attachment: a forwarded message (`is_share`, with its text in `message_blocks` or `text`), or an app's legacy one.
 * Source: https://docs.slack.dev/messaging/formatting-message-text#attachments; the fields of forwarded messages are
 * from slackapi/java-slack-sdk issue 1179.
 */
const Attachment = z.object({
  is_share: z.boolean().catch(false),
  from_url: text,
  original_url: text,
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
  message_blocks: z.array(z.object({ message: z.object({ blocks: list, attachments: list }) })).catch([]),
  files: z.array(z.object({ name: text, title: text, permalink: text })).catch([]),
});
type Attachment = z.infer<typeof Attachment>;

/** Forwarded messages may be nested. */
const DEEPEST = 3;

/**
 * Returns attachments in Markdown. A link preview adds nothing to the link; mentions in a forwarded message become
 * names.
 */
export function attachmentNodes(attachments: readonly unknown[], known: Names, depth = 0): RootContent[] {
  if (depth > DEEPEST) return [];
  const names: Names = {
    ...known,
    user: (id) => {
      const user = known.user(id);
      return user && { name: user.name };
    },
  };
  return attachments.flatMap((raw) => {
    const parsed = Attachment.safeParse(raw);
    return parsed.success && !isPreview(parsed.data) ? nodesOf(parsed.data, names, depth) : [];
  });
}

function isPreview({ is_share, from_url, original_url }: Attachment): boolean {
  return !is_share && (from_url !== '' || original_url !== '');
}

function nodesOf(attachment: Attachment, names: Names, depth: number): RootContent[] {
  const { pretext, is_share, message_blocks, blocks } = attachment;
  const inner = message_blocks.flatMap(({ message }) => [
    ...blockNodes(message.blocks, names),
    ...attachmentNodes(message.attachments, names, depth + 1),
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
function sourceOf({ author_name, channel_name, from_url }: Attachment): RootContent[] {
  const where = channel_name && !channel_name.includes(' ') ? ` in #${channel_name.replace(/^#/, '')}` : '';
  const children = linkOf(from_url, `Forwarded from ${author_name || 'somebody'}${where}`);
  return [{ type: 'paragraph', children }];
}

function titleOf({ title, title_link }: Attachment, names: Names): RootContent[] {
  if (!title) return [];
  const children = title_link ? linkOf(title_link, title) : mrkdwnLine(title, names);
  return children.length > 0 ? [{ type: 'paragraph', children: [{ type: 'strong', children }] }] : [];
}

function restOf({ fields, files, image_url }: Attachment, names: Names): RootContent[] {
  const lines = [
    ...fields.map(({ title, value }): PhrasingContent[] => [
      ...mrkdwnLine(title, names),
      ...(title && value ? [{ type: 'text' as const, value: ': ' }] : []),
      ...mrkdwnLine(value, names),
    ]),
    ...files.map(({ name, title, permalink }) => linkOf(permalink, name || title)),
    ...(image_url ? [linkOf(image_url, 'image')] : []),
  ];
  return lines.filter((line) => line.length > 0).map((children) => ({ type: 'paragraph', children }));
}
