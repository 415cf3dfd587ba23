import { z } from 'zod';

import { findMessage } from '../../workspace/read.ts';
import { setReaction } from '../../workspace/reactions.ts';
import { apiMessage } from '../../workspace/render.ts';
import { isTs } from '../../workspace/timestamps.ts';
import { text } from '../arguments.ts';
import { type Answer, type Call, memberChannelFor, method, SlackError } from '../method.ts';
import { permalinkOf } from '../../workspace/permalink.ts';

const item = { channel: text.default(''), timestamp: text.default('') };
const reactionArguments = z.object({ ...item, name: text.default('') });

/** docs.slack.dev/reference/methods/reactions.{add, remove, get} */
export const REACTIONS = [
  method('reactions.add', reactionArguments, (call, args) => react(call, args, true)),
  method('reactions.remove', reactionArguments, (call, args) => react(call, args, false)),

  method('reactions.get', z.object(item), async (call, args) => {
    mustName(args);
    const channel = memberChannelFor(call, args.channel);
    const message = findMessage(call.workspace.db, channel.id, args.timestamp);
    if (!message) throw new SlackError('message_not_found');
    return {
      type: 'message',
      channel: channel.id,
      message: {
        ...apiMessage(message, { metadata: false }),
        permalink: permalinkOf(call.workspace.directory.team.domain, message),
      },
    };
  }),
];

function react(call: Call, args: z.output<typeof reactionArguments>, present: boolean): Answer {
  mustName(args);
  const channel = memberChannelFor(call, args.channel);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (!isTs(args.timestamp)) throw new SlackError('bad_timestamp');
  const outcome = setReaction(call.workspace, channel, {
    ts: args.timestamp,
    user: call.app.botUserId,
    name: args.name,
    present,
  });
  if (outcome !== 'done') throw new SlackError(outcome);
  return {};
}

function mustName({ channel, timestamp }: { channel: string; timestamp: string }): void {
  if (channel === '' || timestamp === '') throw new SlackError('no_item_specified');
}
