import { z } from 'zod';

import { channelNameError } from '../../workspace/channel-name.ts';
import {
  createChannel,
  removeMember,
  renameChannel,
  setArchived,
  setNote,
} from '../../workspace/channels.ts';
import type { Channel, Person } from '../../workspace/directory.ts';
import { flag, required, text } from '../arguments.ts';
import {
  type Answer,
  type Call,
  channelFor,
  mayUse,
  memberChannelFor,
  method,
  SlackError,
} from '../method.ts';
import { channelShape } from '../shapes.ts';

/** docs.slack.dev/reference/methods/conversations.setTopic, …setPurpose: `too_long` above. */
const NOTE_CHARS = 250;

/**
 * docs.slack.dev/reference/methods/conversations.{create, rename, archive, unarchive, leave, kick, setTopic,
 * setPurpose}
 */
export const CONVERSATION_MANAGE = [
  method(
    'conversations.create',
    z.object({ name: text.default(''), is_private: flag.optional() }),
    async (call, args) => {
      mayUse(call, args.is_private === true ? 'group' : 'channel');
      mustBeFree(call, args.name);
      const creator = botOf(call);
      const channel = createChannel(call.workspace, {
        name: args.name,
        isPrivate: args.is_private === true,
        creator,
      });
      return { channel: channelShape(call, channel, false) };
    },
  ),

  method(
    'conversations.rename',
    z.object({ channel: required, name: text.default('') }),
    async (call, args) => {
      const channel = ordinary(memberChannelFor(call, args.channel));
      // Only who made a channel (or an admin) may rename it.
      if (channel.creator !== call.app.botUserId) throw new SlackError('not_authorized');
      if (channel.isArchived) throw new SlackError('is_archived');
      if (args.name !== channel.name) mustBeFree(call, args.name);
      renameChannel(call.workspace, channel, args.name, call.app.botUserId);
      return { channel: channelShape(call, channel, false) };
    },
  ),

  method('conversations.archive', z.object({ channel: required }), async (call, args) => {
    const channel = ordinary(memberChannelFor(call, args.channel));
    if (channel.name === 'general') throw new SlackError('cant_archive_general');
    if (channel.isArchived) throw new SlackError('already_archived');
    setArchived(call.workspace, channel, true, call.app.botUserId);
    return {};
  }),

  method('conversations.unarchive', z.object({ channel: required }), async (call, args) => {
    const channel = ordinary(channelFor(call, args.channel));
    if (!channel.isArchived) throw new SlackError('not_archived');
    // The page's "Bug alert": bot tokens cannot unarchive.
    throw new SlackError('not_in_channel');
  }),

  method('conversations.leave', z.object({ channel: required }), async (call, args) => {
    const channel = ordinary(channelFor(call, args.channel));
    if (channel.isArchived) throw new SlackError('is_archived');
    if (channel.name === 'general') throw new SlackError('cant_leave_general');
    const isIn = channel.members.has(call.app.botUserId);
    if (isIn && channel.kind === 'group' && channel.members.size === 1) throw new SlackError('last_member');
    const left = isIn && removeMember(call.workspace, channel, botOf(call), call.app.botUserId);
    return left ? {} : { not_in_channel: true };
  }),

  method('conversations.kick', z.object({ channel: required, user: required }), async (call, args) => {
    const channel = ordinary(memberChannelFor(call, args.channel));
    if (args.user === call.app.botUserId) throw new SlackError('cant_kick_self');
    const person = call.workspace.directory.people.get(args.user);
    if (!person) throw new SlackError('user_not_found');
    if (channel.name === 'general') throw new SlackError('cant_kick_from_general');
    const removed = removeMember(call.workspace, channel, person, call.app.botUserId);
    if (!removed) throw new SlackError('not_in_channel');
    return {};
  }),

  method('conversations.setTopic', z.object({ channel: required, topic: text }), (call, args) =>
    note(call, args.channel, 'topic', args.topic),
  ),

  method('conversations.setPurpose', z.object({ channel: required, purpose: text }), (call, args) =>
    note(call, args.channel, 'purpose', args.purpose),
  ),
];

/** Not a direct conversation: those are not made, renamed or left. */
function ordinary(channel: Channel): Channel {
  if (channel.kind === 'im' || channel.kind === 'mpim')
    throw new SlackError('method_not_supported_for_channel_type');
  return channel;
}

function mustBeFree(call: Call, name: string): void {
  const error = channelNameError(name);
  if (error !== undefined) throw new SlackError(error);
  if (call.workspace.directory.channelByName(name)) throw new SlackError('name_taken');
}

function botOf(call: Call): Person {
  const bot = call.workspace.directory.people.get(call.app.botUserId);
  if (!bot) throw new SlackError('user_not_found');
  return bot;
}

function note(call: Call, name: string, which: 'topic' | 'purpose', value: string): Answer {
  const channel = memberChannelFor(call, name);
  if (channel.kind === 'im') throw new SlackError('method_not_supported_for_channel_type');
  if (channel.isArchived) throw new SlackError('is_archived');
  if (value.length > NOTE_CHARS) throw new SlackError('too_long');
  setNote(call.workspace, channel, which, value, call.app.botUserId);
  return { channel: channelShape(call, channel, false), [which]: value };
}
