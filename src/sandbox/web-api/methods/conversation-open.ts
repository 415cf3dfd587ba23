import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import { flag, list, text } from '../arguments.ts';
import { mayUse, memberChannelFor, method, SlackError } from '../method.ts';
import { openWith } from '../place.ts';
import { channelShape } from '../shapes.ts';

/** docs.slack.dev/reference/methods/conversations.open */
export const CONVERSATION_OPEN = [
  method(
    'conversations.open',
    z.object({
      users: list.optional(),
      channel: text.optional(),
      return_im: flag.optional(),
      prevent_creation: flag.optional(),
    }),
    async (call, args) => {
      if (args.channel !== undefined && args.channel !== '') {
        const channel = memberChannelFor(call, args.channel);
        if (channel.kind !== 'im' && channel.kind !== 'mpim')
          throw new SlackError('method_not_supported_for_channel_type');
        return { no_op: true, already_open: true, channel: { id: channel.id } };
      }
      const users = [...new Set(args.users ?? [])];
      if (users.length === 0) throw new SlackError('users_list_not_supplied');
      if (users.length > LIMITS.openUsers) throw new SlackError('too_many_users');
      mayUse(call, users.length > 1 ? 'mpim' : 'im');
      const { channel, existed } = openWith(call, users, args.prevent_creation !== true);
      return {
        ...(existed ? { no_op: true, already_open: true } : {}),
        channel: args.return_im === true ? channelShape(call, channel, false) : { id: channel.id },
      };
    },
  ),
];
