import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import { postMessage } from '../../workspace/messages.ts';
import { findMessage } from '../../workspace/read.ts';
import { eventMessage } from '../../workspace/render.ts';
import { writtenByApp } from '../../workspace/write.ts';
import { flag, required, text } from '../arguments.ts';
import { appSays, messageArguments, thread } from '../message-arguments.ts';
import { channelFor, memberChannelFor, method, SlackError } from '../method.ts';
import { placeOf } from '../place.ts';
import { permalinkOf } from '../../workspace/permalink.ts';

/** docs.slack.dev/reference/methods/chat.{postMessage, postEphemeral, meMessage, getPermalink} */
export const CHAT_POST = [
  method(
    'chat.postMessage',
    z.object({
      channel: required,
      thread_ts: thread,
      reply_broadcast: flag.optional(),
      ...messageArguments,
    }),
    async (call, args) => {
      const { workspace, app } = call;
      const channel = placeOf(call, args.channel);
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
    z.object({ channel: required, user: required, thread_ts: thread, ...messageArguments }),
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

  method('chat.meMessage', z.object({ channel: required, text: text.default('') }), async (call, args) => {
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

  method('chat.getPermalink', z.object({ channel: required, message_ts: required }), async (call, args) => {
    const channel = channelFor(call, args.channel);
    const message = findMessage(call.workspace.db, channel.id, args.message_ts);
    if (!message) throw new SlackError('message_not_found');
    return { channel: channel.id, permalink: permalinkOf(call.workspace.directory.team.domain, message) };
  }),
];
