import { z } from 'zod';

import { checkBlocks } from '../blocks/check.ts';
import { LIMITS } from '../limits.ts';
import { PARSING, parsingOf } from '../rich-text/automatic.ts';
import type { AppSays } from '../workspace/write.ts';
import type { Block, JsonObject, Metadata } from '../workspace/content.ts';
import { isTs } from '../workspace/timestamps.ts';
import { flag, json, jsonObject, SlackError, text } from './method.ts';

const metadata = z.object({ event_type: z.string().min(1).max(255), event_payload: jsonObject });

/** The ts of a thread's root; empty counts as absent. */
export const thread = text.refine((ts) => ts === '' || isTs(ts), 'invalid thread_ts').optional();

/** The arguments of a message in chat.postMessage, chat.update, chat.postEphemeral and for a response URL. */
export const messageArguments = {
  text: text.optional(),
  markdown_text: text.optional(),
  blocks: json(z.unknown()).optional(),
  attachments: json(z.array(jsonObject)).optional(),
  metadata: json(z.unknown()).optional(),
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

/** The message of a call, or Slack's error (docs.slack.dev/reference/methods/chat.postMessage, "Errors"). */
export function appSays(args: MessageArguments): AppSays {
  const blocks = blocksArgument(args.blocks);
  if (args.markdown_text !== undefined) {
    if (args.text !== undefined || args.blocks !== undefined) throw new SlackError('markdown_text_conflict');
    if (args.markdown_text.length > LIMITS.markdownTextChars) throw new SlackError('msg_too_long');
  }
  const message = args.text ?? args.markdown_text ?? '';
  const attachments = attachmentsArgument(args.attachments) ?? [];
  if (message.trim() === '' && (blocks?.length ?? 0) === 0 && attachments.length === 0)
    throw new SlackError('no_text');
  return {
    text: message.slice(0, LIMITS.postTextChars),
    blocks: args.markdown_text === undefined ? blocks : [{ type: 'markdown', text: args.markdown_text }],
    attachments,
    metadata: metadataArgument(args.metadata) ?? undefined,
    username: emptyAsAbsent(args.username),
    iconUrl: emptyAsAbsent(args.icon_url),
    iconEmoji: emptyAsAbsent(args.icon_emoji),
    mrkdwn: args.mrkdwn ?? true,
    parsing: parsingOf(args, PARSING['chat.postMessage']),
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

/** null takes a message's metadata away (`{}`); undefined leaves it (docs.slack.dev/messaging/message-metadata). */
export function metadataArgument(value: unknown): Metadata | null | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new SlackError('invalid_metadata_format');
  if (Object.keys(value).length === 0) return null;
  const parsed = metadata.safeParse(value);
  if (!parsed.success) throw new SlackError('invalid_metadata_schema');
  if (JSON.stringify(parsed.data).length > LIMITS.metadataChars) throw new SlackError('metadata_too_large');
  return parsed.data;
}

/** At most a hundred, and blocks in them as Slack takes blocks: else `invalid_attachments`. */
export function attachmentsArgument(attachments: JsonObject[] | undefined): JsonObject[] | undefined {
  if (attachments === undefined) return undefined;
  if (attachments.length > LIMITS.attachments) throw new SlackError('too_many_attachments');
  const messages = attachments.flatMap(({ blocks }, index) => {
    const checked = blocks === undefined ? undefined : checkBlocks(blocks);
    if (!checked || checked.ok) return [];
    return checked.messages.map((line) =>
      line.replace('[json-pointer:/blocks', `[json-pointer:/attachments/${index}/blocks`),
    );
  });
  if (messages.length > 0) throw new SlackError('invalid_attachments', { response_metadata: { messages } });
  return attachments;
}

function emptyAsAbsent(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
