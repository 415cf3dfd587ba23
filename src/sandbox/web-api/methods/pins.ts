import { z } from 'zod';

import { pinsOf, setPin } from '../../workspace/pins.ts';
import { isTs } from '../../workspace/timestamps.ts';
import { required, text } from '../arguments.ts';
import { type Answer, type Call, memberChannelFor, method, SlackError } from '../method.ts';

const pinArguments = z.object({ channel: required, timestamp: text.optional() });

/** docs.slack.dev/reference/methods/pins.{add, remove, list} */
export const PINS = [
  method('pins.add', pinArguments, (call, args) => pin(call, args, true)),
  method('pins.remove', pinArguments, (call, args) => pin(call, args, false)),
  method('pins.list', z.object({ channel: required }), async (call, args) => ({
    items: pinsOf(call.workspace, memberChannelFor(call, args.channel)),
  })),
];

function pin(call: Call, args: z.output<typeof pinArguments>, present: boolean): Answer {
  const channel = memberChannelFor(call, args.channel);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (args.timestamp === undefined || args.timestamp === '') throw new SlackError('no_item_specified');
  if (!isTs(args.timestamp)) throw new SlackError('bad_timestamp');
  const outcome = setPin(call.workspace, channel, {
    ts: args.timestamp,
    user: call.app.botUserId,
    present,
  });
  if (outcome !== 'done') throw new SlackError(outcome);
  return {};
}
