import { LIMITS } from '../../limits.ts';
import { PARSING, parsingOf } from '../../rich-text/automatic.ts';
import type { StoredMessage } from '../../workspace/content.ts';
import { eventMessage, findMessage, permalinkOf } from '../../workspace/message-store.ts';
import { deleteMessage, type Edit, editMessage, postMessage } from '../../workspace/messages.ts';
import { blocksOf, withFound, writtenByApp } from '../../workspace/write.ts';
import {
  appSays,
  attachmentsArgument,
  blocksArgument,
  messageArguments,
  type MessageArguments,
  metadataArgument,
  thread,
} from '../message-arguments.ts';
import {
  type Call,
  channelFor,
  flag,
  memberChannelFor,
  method,
  pageOf,
  paging,
  targetChannel,
  required,
  SlackError,
  text,
  whole,
} from '../method.ts';

/** docs.slack.dev/reference/methods/chat.{postMessage, postEphemeral, meMessage, getPermalink} */
export const CHAT_POST = [
  method(
    'chat.postMessage',
    { channel: required, thread_ts: thread, reply_broadcast: flag.optional(), ...messageArguments },
    async (call, args) => {
      const { workspace, app } = call;
      const channel = targetChannel(call, args.channel);
      if (channel.isArchived) throw new SlackError('is_archived');
      const written = writtenByApp(workspace, app, appSays(args));
      const message = postMessage(workspace, channel, {
        ...written,
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
        broadcast: args.reply_broadcast ?? false,
        unfurl: args.unfurl_links ?? true,
      });
      return { channel: channel.id, ts: message.ts, message: eventMessage(message) };
    },
  ),

  method(
    'chat.postEphemeral',
    { channel: required, user: required, thread_ts: thread, ...messageArguments },
    async (call, args) => {
      const { workspace, app } = call;
      const channel = memberChannelFor(call, args.channel);
      if (channel.isArchived) throw new SlackError('is_archived');
      if (!channel.members.has(args.user)) throw new SlackError('user_not_in_channel');
      const message = postMessage(workspace, channel, {
        ...writtenByApp(workspace, app, appSays(args)),
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
        ephemeralFor: args.user,
      });
      return { message_ts: message.ts };
    },
  ),

  method('chat.meMessage', { channel: required, text: text.default('') }, async (call, args) => {
    const { workspace, app } = call;
    const channel = memberChannelFor(call, args.channel);
    if (channel.isArchived) throw new SlackError('is_archived');
    if (args.text.trim() === '') throw new SlackError('no_text');
    if (args.text.length > LIMITS.postTextChars) throw new SlackError('msg_too_long');
    const message = postMessage(workspace, channel, {
      author: app.botUserId,
      autoBlocks: true,
      content: {
        type: 'message',
        subtype: 'me_message',
        user: app.botUserId,
        bot_id: app.botId,
        app_id: app.id,
        team: workspace.directory.team.id,
        text: args.text,
      },
    });
    return { channel: channel.id, ts: message.ts };
  }),

  method('chat.getPermalink', { channel: required, message_ts: required }, async (call, args) => {
    const channel = channelFor(call, args.channel);
    const message = findMessage(call.workspace.db, channel.id, args.message_ts);
    if (!message) throw new SlackError('message_not_found');
    return { channel: channel.id, permalink: permalinkOf(call.baseUrl, message) };
  }),
];

/** docs.slack.dev/reference/methods/chat.{update, delete} */
export const CHAT_EDIT = [
  method('chat.update', { channel: required, ts: required, ...messageArguments }, async (call, args) => {
    const channel = channelFor(call, args.channel);
    if (channel.isArchived) throw new SlackError('is_archived');
    requireOwn(call, channel.id, args.ts, 'cant_update_message');
    checkUpdate(args);
    const after = editMessage(call.workspace, channel, args.ts, (before) => editFrom(call, before, args));
    if (!after) throw new SlackError('message_not_found');
    return { channel: channel.id, ts: after.ts, text: after.content.text, message: eventMessage(after) };
  }),

  method('chat.delete', { channel: required, ts: required }, async (call, args) => {
    const channel = channelFor(call, args.channel);
    requireOwn(call, channel.id, args.ts, 'cant_delete_message');
    const deleted = deleteMessage(call.workspace, channel, args.ts);
    if (!deleted) throw new SlackError('message_not_found');
    return { channel: channel.id, ts: args.ts };
  }),
];

/** Throws SlackError unless the app itself posted a message: an app may change only its own. */
function requireOwn(call: Call, channelId: string, ts: string, refusal: string): void {
  const message = findMessage(call.workspace.db, channelId, ts);
  if (!message) throw new SlackError('message_not_found');
  if (message.content.bot_id !== call.app.botId) throw new SlackError(refusal);
}

/** Throws SlackError if the arguments of an update contradict each other, are too long, or change nothing. */
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
 * Returns the edit that an update makes. Text without blocks removes earlier blocks and marks the message as edited; an
 * update with blocks leaves no mark. Attachments and metadata that are left out stay
 * (docs.slack.dev/reference/methods/chat.update).
 */
function editFrom({ workspace, app }: Call, before: StoredMessage, args: MessageArguments): Edit {
  const { content } = before;
  const metadata = metadataArgument(args.metadata);
  const given =
    args.markdown_text === undefined
      ? blocksArgument(args.blocks)
      : [{ type: 'markdown', text: args.markdown_text }];
  const textGiven = args.text !== undefined && args.text !== '';
  const kept = given === undefined && !textGiven;
  const says = withFound(workspace.directory, {
    text: args.text ?? args.markdown_text ?? '',
    blocks: given,
    attachments: attachmentsArgument(args.attachments),
    mrkdwn: args.mrkdwn ?? true,
    parsing: parsingOf(args, PARSING['chat.update']),
  });
  const made = blocksOf(workspace.directory, workspace.ids, says);
  return {
    text: args.text === undefined && args.markdown_text === undefined ? content.text : says.text,
    blocks: kept ? content.blocks : made.part.blocks,
    autoBlocks: kept ? before.auto_blocks : made.autoBlocks,
    attachments: says.attachments ?? content.attachments,
    metadata: metadata === undefined ? content.metadata : (metadata ?? undefined),
    editor: given === undefined && textGiven ? app.botUserId : undefined,
  };
}

/** docs.slack.dev/reference/methods/chat.{scheduleMessage, deleteScheduledMessage, scheduledMessages.list} */
export const CHAT_SCHEDULE = [
  method(
    'chat.scheduleMessage',
    {
      channel: required,
      post_at: whole.optional(),
      thread_ts: thread,
      reply_broadcast: flag.optional(),
      ...messageArguments,
    },
    async (call, args) => {
      const { workspace, app, schedule } = call;
      const channel = targetChannel(call, args.channel);
      if (channel.isArchived) throw new SlackError('is_archived');
      const now = Math.floor(workspace.clock.now().getTime() / 1000);
      if (args.post_at === undefined || args.post_at <= 0) throw new SlackError('invalid_time');
      if (args.post_at <= now) throw new SlackError('time_in_past');
      if (args.post_at > now + LIMITS.scheduleSeconds) throw new SlackError('time_too_far');
      const post = {
        ...writtenByApp(workspace, app, appSays(args)),
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
        broadcast: args.reply_broadcast ?? false,
      };
      const scheduledNearby = schedule.countAround(channel, args.post_at, LIMITS.scheduleWindowSeconds);
      if (scheduledNearby >= LIMITS.scheduledPerWindow) throw new SlackError('restricted_too_many');
      const id = schedule.add(app, channel, args.post_at, post);
      return {
        scheduled_message_id: id,
        channel: channel.id,
        post_at: args.post_at,
        message: { ...post.content, type: 'delayed_message' },
      };
    },
  ),

  method(
    'chat.deleteScheduledMessage',
    { channel: required, scheduled_message_id: required },
    async (call, args) => {
      const channel = channelFor(call, args.channel);
      const removed = call.schedule.remove(call.app, channel, args.scheduled_message_id);
      if (!removed) throw new SlackError('invalid_scheduled_message_id');
      return {};
    },
  ),

  method(
    'chat.scheduledMessages.list',
    { channel: text.optional(), oldest: text.optional(), latest: text.optional(), ...paging },
    async (call, args) => {
      const only = args.channel ? channelFor(call, args.channel).id : undefined;
      const oldest = Number(args.oldest ?? 0);
      const latest = Number(args.latest ?? Infinity);
      if (Number.isNaN(oldest) || Number.isNaN(latest) || oldest > latest)
        throw new SlackError('invalid_time');
      const waiting = call.schedule
        .list(call.app)
        .filter(
          ({ channel_id, post_at }) =>
            (only === undefined || channel_id === only) && post_at >= oldest && post_at <= latest,
        );
      const { page, response_metadata } = pageOf(waiting, args, Infinity);
      return {
        scheduled_messages: page.map(({ id, channel_id, post_at, created_at, post }) => ({
          id,
          channel_id,
          post_at,
          date_created: created_at,
          text: post.content.text,
        })),
        response_metadata,
      };
    },
  ),
];
