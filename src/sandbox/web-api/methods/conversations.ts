import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import { addMember } from '../../workspace/conversations.ts';
import { flag, list, required, text, whole } from '../arguments.ts';
import type { Channel } from '../../workspace/directory.ts';
import { type Call, channelFor, memberChannelFor, method, SlackError } from '../method.ts';
import { pageOf } from '../paging.ts';
import { channelInfo, channelShape } from '../shapes.ts';
import { ofTypes } from './conversation-list.ts';

/** docs.slack.dev/reference/methods/conversations.{list, info, members, join, invite} */
export const CONVERSATIONS = [
  method(
    'conversations.list',
    z.object({
      types: text.optional(),
      exclude_archived: flag.optional(),
      cursor: text.optional(),
      limit: whole.optional(),
    }),
    async (call, args) => {
      const found = ofTypes(call, args.types, args.exclude_archived === true);
      const { page, response_metadata } = pageOf(
        found,
        args.cursor,
        Math.min(args.limit || 100, LIMITS.listMax),
      );
      return { channels: page.map((channel) => channelShape(call, channel, true)), response_metadata };
    },
  ),

  method(
    'conversations.info',
    z.object({ channel: required, include_num_members: flag.optional() }),
    async (call, args) => ({
      channel: channelInfo(call, channelFor(call, args.channel), args.include_num_members === true),
    }),
  ),

  method(
    'conversations.members',
    z.object({ channel: required, cursor: text.optional(), limit: whole.optional() }),
    async (call, args) => {
      const channel = channelFor(call, args.channel);
      const { page, response_metadata } = pageOf(
        [...channel.members],
        args.cursor,
        Math.min(args.limit || 100, LIMITS.listMax),
      );
      return { members: page, response_metadata };
    },
  ),

  method('conversations.join', z.object({ channel: required }), async (call, args) => {
    const channel = channelFor(call, args.channel);
    if (channel.kind !== 'channel') throw new SlackError('method_not_supported_for_channel_type');
    if (channel.isArchived) throw new SlackError('is_archived');
    const bot = call.workspace.directory.people.get(call.app.botUserId);
    if (!bot) throw new SlackError('user_not_found');
    const joined = addMember(call.workspace, channel, bot);
    return {
      channel: channelShape(call, channel, false),
      ...(joined
        ? {}
        : { warning: 'already_in_channel', response_metadata: { warnings: ['already_in_channel'] } }),
    };
  }),

  method(
    'conversations.invite',
    z.object({ channel: required, users: list, force: flag.optional() }),
    async (call, args) => {
      const channel = memberChannelFor(call, args.channel);
      if (channel.kind === 'im' || channel.kind === 'mpim')
        throw new SlackError('method_not_supported_for_channel_type');
      if (channel.isArchived) throw new SlackError('is_archived');
      if (args.users.length === 0) throw new SlackError('no_user');
      if (args.users.length > LIMITS.inviteUsers) throw new SlackError('too_many_users');
      const { people } = call.workspace.directory;
      const errors = args.users.flatMap((user) => {
        const error = inviteError(call, channel, user);
        return error === undefined ? [] : [{ user, ok: false, error }];
      });
      const [first] = errors;
      // Without `force` one that cannot be invited keeps out all.
      if (first && (args.force !== true || errors.length === args.users.length))
        throw new SlackError(first.error, { errors });
      for (const user of args.users) {
        const person = people.get(user);
        if (person && !errors.some((error) => error.user === user))
          addMember(call.workspace, channel, person, call.app.botUserId);
      }
      return { channel: channelShape(call, channel, false), ...(first ? { errors } : {}) };
    },
  ),
];

function inviteError(call: Call, channel: Channel, user: string): string | undefined {
  if (user === call.app.botUserId) return 'cant_invite_self';
  if (!call.workspace.directory.people.has(user)) return 'user_not_found';
  return channel.members.has(user) ? 'already_in_channel' : undefined;
}
