import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import type { Channel } from '../../workspace/directory.ts';
import { isTs } from '../../workspace/timestamps.ts';
import { flag, list, required, text } from '../arguments.ts';
import { type Call, mayUse, memberChannelFor, method, SlackError } from '../method.ts';
import { openWith } from '../place.ts';
import { channelShape } from '../shapes.ts';

/** docs.slack.dev/reference/methods/conversations.{open, close, mark} */
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
        return { ...opened(call, channel), channel: { id: channel.id } };
      }
      const users = [...new Set(args.users ?? [])];
      if (users.length === 0) throw new SlackError('users_list_not_supplied');
      if (users.length > LIMITS.openUsers) throw new SlackError('too_many_users');
      mayUse(call, users.length > 1 ? 'mpim' : 'im');
      const { channel, existed } = openWith(call, users, args.prevent_creation !== true);
      return {
        ...(existed ? opened(call, channel) : {}),
        channel: args.return_im === true ? channelShape(call, channel, false) : { id: channel.id },
      };
    },
  ),

  method('conversations.close', z.object({ channel: required }), async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    if (channel.kind !== 'im' && channel.kind !== 'mpim')
      throw new SlackError('method_not_supported_for_channel_type');
    return setOpen(call, channel, false) ? {} : { no_op: true, already_closed: true };
  }),

  method('conversations.mark', z.object({ channel: required, ts: text.default('') }), async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    if (!isTs(args.ts)) throw new SlackError('invalid_timestamp');
    call.workspace.db.update(
      'member',
      { channel_id: channel.id, user_id: call.app.botUserId },
      { last_read: args.ts },
    );
    return {};
  }),
];

/** Opens a direct conversation that is there already, as the answer says it. */
function opened(call: Call, channel: Channel) {
  return setOpen(call, channel, true) ? {} : { no_op: true, already_open: true };
}

/** False where it was so. */
function setOpen({ app, workspace }: Call, channel: Channel, isOpen: boolean): boolean {
  const place = { channel_id: channel.id, user_id: app.botUserId };
  return workspace.db.update('member', { ...place, is_open: !isOpen }, { is_open: isOpen }) > 0;
}
