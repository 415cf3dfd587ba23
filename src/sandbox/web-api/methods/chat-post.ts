import { z } from 'zod';

import { openConversation } from '../../workspace/conversations.ts';
import type { Channel } from '../../workspace/directory.ts';
import { postMessage } from '../../workspace/messages.ts';
import { findMessage } from '../../workspace/read.ts';
import { eventMessage } from '../../workspace/render.ts';
import { isTs } from '../../workspace/timestamps.ts';
import { writtenByApp } from '../../workspace/write.ts';
import { flag, required, text } from '../arguments.ts';
import { appSays, messageArguments } from '../message-arguments.ts';
import { type Call, channelFor, memberChannelFor, method, SlackError } from '../method.ts';
import { permalinkOf } from '../../workspace/permalink.ts';

const thread = text.refine((ts) => ts === '' || isTs(ts), 'invalid thread_ts').optional();

/** docs.slack.dev/reference/methods/chat.{postMessage, postEphemeral, getPermalink} */
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
      const channel = await placeOf(call, args.channel);
      if (channel.isArchived) throw new SlackError('is_archived');
      const written = writtenByApp(workspace.directory, workspace.ids, app, appSays(args));
      const message = await postMessage(workspace, channel, {
        ...written,
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
        broadcast: args.reply_broadcast ?? false,
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
      const message = await postMessage(workspace, channel, {
        ...writtenByApp(workspace.directory, workspace.ids, app, appSays(args)),
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
        ephemeralFor: args.user,
      });
      return { message_ts: message.ts };
    },
  ),

  method('chat.getPermalink', z.object({ channel: required, message_ts: required }), async (call, args) => {
    const channel = channelFor(call, args.channel);
    const message = await findMessage(call.workspace.db, channel.id, args.message_ts);
    if (!message) throw new SlackError('message_not_found');
    return { channel: channel.id, permalink: permalinkOf(call.workspace.directory.team.domain, message) };
  }),
];

/** Where a post goes: a channel the app is in, or a person's id for their direct messages with the app. */
async function placeOf(call: Call, name: string): Promise<Channel> {
  if (!call.workspace.directory.people.has(name)) return memberChannelFor(call, name);
  return (await openConversation(call.workspace, [call.app.botUserId, name])).channel;
}
