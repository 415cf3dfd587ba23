import type { JsonObject, StoredMessage } from './content.ts';
import type { Channel } from './directory.ts';
import { channelType } from './events.ts';
import { pushedContent } from './files-object.ts';

export type ApiMessage = Record<string, unknown> & { ts: string };

/** How replies show on a root; absent where there are none (conversations.history, conversations.replies). */
export function threadFields(message: StoredMessage): JsonObject {
  if (message.reply_count === 0) return {};
  return {
    thread_ts: message.ts,
    reply_count: message.reply_count,
    reply_users_count: message.reply_users.length,
    latest_reply: message.latest_reply,
    reply_users: message.reply_users,
    is_locked: false,
    subscribed: false,
  };
}

function reactionFields(message: StoredMessage): JsonObject {
  if (message.reactions.length === 0) return {};
  return {
    reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })),
  };
}

/** Metadata is left out unless asked for (`include_all_metadata`, docs.slack.dev/messaging/message-metadata). */
export function apiMessage(message: StoredMessage, options: { metadata: boolean }): ApiMessage {
  const { metadata, ...content } = message.content;
  return {
    ...content,
    ts: message.ts,
    ...(message.thread_ts === null ? threadFields(message) : { thread_ts: message.thread_ts }),
    ...reactionFields(message),
    ...(options.metadata && metadata ? { metadata } : {}),
  };
}

/** A message with everything it says, in its place; inside an event of a channel, as events of that channel tell it. */
export function eventMessage(message: StoredMessage, channel?: Channel): ApiMessage {
  const told = channel ? { ...message, content: pushedContent(message.content, channel) } : message;
  return apiMessage(told, { metadata: true });
}

/** The `message` event of a new message (docs.slack.dev/reference/events/message). */
export function newMessageEvent(
  message: StoredMessage,
  channel: Channel,
): { type: string } & Record<string, unknown> {
  return {
    ...pushedContent(message.content, channel),
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    channel: channel.id,
    event_ts: message.ts,
    channel_type: channelType(channel),
  };
}
