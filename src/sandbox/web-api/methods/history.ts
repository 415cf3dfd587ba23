import { LIMITS } from '../../limits.ts';
import { pinCount } from '../../workspace/reactions.ts';
import {
  apiMessage,
  findMessage,
  historyPage,
  repliesPage,
  type Window,
} from '../../workspace/message-store.ts';
import { parseBound } from '../../workspace/timestamps.ts';
import {
  flag,
  makeCursor,
  memberChannelFor,
  method,
  readCursor,
  required,
  SlackError,
  text,
  whole,
} from '../method.ts';

const windowArguments = {
  channel: required,
  oldest: text.optional(),
  latest: text.optional(),
  inclusive: flag.optional(),
  include_all_metadata: flag.optional(),
  cursor: text.optional(),
  limit: whole.optional(),
};

/** docs.slack.dev/reference/methods/conversations.{history, replies} */
export const HISTORY = [
  method('conversations.history', windowArguments, async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    const window = windowOf(args);
    const limit = bounded(args.limit ?? LIMITS.historyDefault, LIMITS.historyMax);
    const after = readCursor('next_ts', args.cursor);
    const { messages, hasMore } = historyPage(call.workspace.db, channel.id, window, limit, after);
    const forward = window.oldest !== undefined && window.latest === undefined;
    const end = forward ? messages[0] : messages.at(-1);
    return {
      ...(args.latest === undefined ? {} : { latest: args.latest }),
      messages: messages.map((message) =>
        apiMessage(message, { metadata: args.include_all_metadata === true }),
      ),
      has_more: hasMore,
      pin_count: pinCount(call.workspace.db, channel.id),
      channel_actions_ts: null,
      channel_actions_count: 0,
      ...(hasMore && end ? { response_metadata: { next_cursor: makeCursor('next_ts', end.ts) } } : {}),
    };
  }),

  method('conversations.replies', { ...windowArguments, ts: required }, async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    const window = windowOf(args);
    const limit = bounded(args.limit ?? LIMITS.repliesMax, LIMITS.repliesMax);
    const after = readCursor('next_ts', args.cursor);
    const { db } = call.workspace;
    const shown = { metadata: args.include_all_metadata === true };
    const root = findMessage(db, channel.id, args.ts);
    if (!root) throw new SlackError('thread_not_found');
    // A reply's own ts gives that reply alone.
    if (root.thread_ts !== null || root.reply_count === 0)
      return { messages: [apiMessage(root, shown)], has_more: false };
    // The root heads the first page and counts for it.
    const first = after === undefined;
    const { messages, hasMore } = repliesPage(
      db,
      channel.id,
      root.ts,
      window,
      first ? Math.max(limit - 1, 0) : limit,
      after,
    );
    const end = messages.at(-1) ?? (first ? root : undefined);
    return {
      messages: [...(first ? [root] : []), ...messages].map((message) => apiMessage(message, shown)),
      has_more: hasMore,
      ...(hasMore && end ? { response_metadata: { next_cursor: makeCursor('next_ts', end.ts) } } : {}),
    };
  }),
];

function windowOf(args: {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive?: boolean | undefined;
}): Window {
  const oldest = args.oldest === undefined || Number(args.oldest) === 0 ? undefined : parseBound(args.oldest);
  const latest = args.latest === undefined || args.latest === 'now' ? undefined : parseBound(args.latest);
  if (args.oldest !== undefined && Number(args.oldest) !== 0 && oldest === undefined)
    throw new SlackError('invalid_ts_oldest');
  if (args.latest !== undefined && args.latest !== 'now' && latest === undefined)
    throw new SlackError('invalid_ts_latest');
  return { oldest, latest, inclusive: args.inclusive === true };
}

function bounded(limit: number, max: number): number {
  if (limit < 1) throw new SlackError('invalid_limit');
  return Math.min(limit, max);
}
