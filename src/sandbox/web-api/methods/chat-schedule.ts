import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import { writtenByApp } from '../../workspace/write.ts';
import { flag, required, text, whole } from '../arguments.ts';
import { appSays, messageArguments, thread } from '../message-arguments.ts';
import { channelFor, method, SlackError } from '../method.ts';
import { pageOf } from '../paging.ts';
import { placeOf } from '../place.ts';

/** docs.slack.dev/reference/methods/chat.{scheduleMessage, deleteScheduledMessage, scheduledMessages.list} */
export const CHAT_SCHEDULE = [
  method(
    'chat.scheduleMessage',
    z.object({
      channel: required,
      post_at: whole.optional(),
      thread_ts: thread,
      reply_broadcast: flag.optional(),
      ...messageArguments,
    }),
    async (call, args) => {
      const { workspace, app, schedule } = call;
      const channel = placeOf(call, args.channel);
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
      const near = schedule.countAround(channel, args.post_at, LIMITS.scheduleWindowSeconds);
      if (near >= LIMITS.scheduledPerWindow) throw new SlackError('restricted_too_many');
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
    z.object({ channel: required, scheduled_message_id: required }),
    async (call, args) => {
      const channel = channelFor(call, args.channel);
      const removed = call.schedule.remove(call.app, channel, args.scheduled_message_id);
      if (!removed) throw new SlackError('invalid_scheduled_message_id');
      return {};
    },
  ),

  method(
    'chat.scheduledMessages.list',
    z.object({
      channel: text.optional(),
      oldest: text.optional(),
      latest: text.optional(),
      cursor: text.optional(),
      limit: whole.optional(),
    }),
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
      const { page, response_metadata } = pageOf(waiting, args.cursor, args.limit || 100);
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
