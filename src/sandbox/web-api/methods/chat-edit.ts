import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import type { StoredMessage } from '../../workspace/content.ts';
import { deleteMessage, type Edit, editMessage } from '../../workspace/messages.ts';
import { findMessage } from '../../workspace/read.ts';
import { eventMessage } from '../../workspace/render.ts';
import { blocksOf } from '../../workspace/write.ts';
import { required } from '../arguments.ts';
import {
  attachmentsArgument,
  blocksArgument,
  type MessageArguments,
  messageArguments,
  metadataArgument,
} from '../message-arguments.ts';
import { type Call, channelFor, method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/chat.{update, delete} */
export const CHAT_EDIT = [
  method(
    'chat.update',
    z.object({ channel: required, ts: required, ...messageArguments }),
    async (call, args) => {
      const channel = channelFor(call, args.channel);
      if (channel.isArchived) throw new SlackError('is_archived');
      ownMessage(call, channel.id, args.ts, 'cant_update_message');
      checkUpdate(args);
      const after = editMessage(call.workspace, channel, args.ts, (before) => updated(call, before, args));
      if (!after) throw new SlackError('message_not_found');
      return { channel: channel.id, ts: after.ts, text: after.content.text, message: eventMessage(after) };
    },
  ),

  method('chat.delete', z.object({ channel: required, ts: required }), async (call, args) => {
    const channel = channelFor(call, args.channel);
    ownMessage(call, channel.id, args.ts, 'cant_delete_message');
    const deleted = deleteMessage(call.workspace, channel, args.ts);
    if (!deleted) throw new SlackError('message_not_found');
    return { channel: channel.id, ts: args.ts };
  }),
];

/** Only what the app posted may be changed by it. */
function ownMessage(call: Call, channelId: string, ts: string, refusal: string): void {
  const message = findMessage(call.workspace.db, channelId, ts);
  if (!message) throw new SlackError('message_not_found');
  if (message.content.bot_id !== call.app.botId) throw new SlackError(refusal);
}

function checkUpdate(args: MessageArguments): void {
  const message = args.text ?? args.markdown_text ?? '';
  if (message.length > LIMITS.updateTextChars) throw new SlackError('msg_too_long');
  if (args.markdown_text !== undefined && (args.text !== undefined || args.blocks !== undefined))
    throw new SlackError('markdown_text_conflict');
  const blocks = blocksArgument(args.blocks);
  if (
    message.trim() === '' &&
    blocks === undefined &&
    args.attachments === undefined &&
    args.metadata === undefined
  )
    throw new SlackError('no_text');
}

/**
 * Text without blocks takes earlier blocks away and marks the message as edited; with blocks there is no mark;
 * attachments and metadata left out stay (docs.slack.dev/reference/methods/chat.update).
 */
function updated({ workspace, app }: Call, before: StoredMessage, args: MessageArguments): Edit {
  const { content } = before;
  const metadata = metadataArgument(args.metadata);
  const given =
    args.markdown_text === undefined
      ? blocksArgument(args.blocks)
      : [{ type: 'markdown', text: args.markdown_text }];
  const text = args.text ?? args.markdown_text ?? content.text;
  const textGiven = args.text !== undefined && args.text !== '';
  const kept = given === undefined && !textGiven;
  const made = blocksOf(workspace.directory, workspace.ids, {
    text,
    blocks: given,
    mrkdwn: args.mrkdwn ?? true,
  });
  return {
    text,
    blocks: kept ? content.blocks : made.part.blocks,
    autoBlocks: kept ? before.auto_blocks : made.autoBlocks,
    attachments: attachmentsArgument(args.attachments) ?? content.attachments,
    metadata: metadata === undefined ? content.metadata : (metadata ?? undefined),
    editor: given === undefined && textGiven ? app.botUserId : undefined,
  };
}
