import { z } from 'zod';

import { checkBlocks } from '../blocks/check.ts';
import { LIMITS } from '../limits.ts';
import type { AppSays } from '../workspace/write.ts';
import type { Block } from '../workspace/content.ts';
import { flag, json, jsonObject, text } from './arguments.ts';
import { SlackError } from './method.ts';

const metadata = z.object({ event_type: z.string().min(1).max(255), event_payload: jsonObject });

/** What describes a message in chat.postMessage, chat.update, chat.postEphemeral and at a response address. */
export const messageArguments = {
  text: text.optional(),
  markdown_text: text.optional(),
  blocks: json(z.unknown()).optional(),
  attachments: json(z.array(jsonObject)).optional(),
  /** `{}` takes a message's metadata away. */
  metadata: json(z.union([metadata, z.strictObject({}).transform(() => null)])).optional(),
  username: text.optional(),
  icon_url: text.optional(),
  icon_emoji: text.optional(),
  mrkdwn: flag.optional(),
  parse: text.optional(),
  link_names: flag.optional(),
  unfurl_links: flag.optional(),
  unfurl_media: flag.optional(),
};

export type MessageArguments = z.output<z.ZodObject<typeof messageArguments>>;

/** What a call says, or Slack's refusal of it (docs.slack.dev/reference/methods/chat.postMessage, "Errors"). */
export function appSays(args: MessageArguments): AppSays {
  const blocks = blocksArgument(args.blocks);
  if (args.markdown_text !== undefined) {
    if (args.text !== undefined || args.blocks !== undefined) throw new SlackError('markdown_text_conflict');
    if (args.markdown_text.length > LIMITS.markdownTextChars) throw new SlackError('msg_too_long');
  }
  const message = args.text ?? args.markdown_text ?? '';
  const attachments = args.attachments ?? [];
  if (message.trim() === '' && (blocks?.length ?? 0) === 0 && attachments.length === 0)
    throw new SlackError('no_text');
  return {
    text: message.slice(0, LIMITS.postTextChars),
    blocks: args.markdown_text === undefined ? blocks : [{ type: 'markdown', text: args.markdown_text }],
    attachments,
    metadata: args.metadata ?? undefined,
    username: emptyAsAbsent(args.username),
    iconUrl: emptyAsAbsent(args.icon_url),
    iconEmoji: emptyAsAbsent(args.icon_emoji),
    mrkdwn: args.mrkdwn ?? true,
  };
}

export function blocksArgument(value: unknown): Block[] | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const checked = checkBlocks(value);
  if (checked.ok) return checked.blocks;
  throw new SlackError(checked.error, {
    ...(checked.messages.length > 0
      ? { errors: checked.messages.map((line) => line.replace('[ERROR] ', '')) }
      : {}),
    response_metadata: { messages: checked.messages },
  });
}

function emptyAsAbsent(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
