// What the bot keeps up to date in chat: cards, questions and emoji. Each has a record of what is wanted and what is
// shown. A row in the outbox is drawn from that record when it is sent, so many changes make one call, and a row with
// nothing left to change makes none.

import type { KnownBlock } from '@slack/types';

import type { ChatWriter } from '../slack/writer.ts';
import type { BridgeTx } from '../work.ts';
import type { Call } from './post-kind.ts';

interface ShownMessage {
  channel: string;
  /** Null until it is posted. */
  ts: string | null;
  text: string;
  blocks: readonly KnownBlock[];
}

interface MessageSteps {
  /** Where to look for a post with an unknown outcome; undefined for the channel itself. */
  thread: string | undefined;
  /** Posts it, with this id in its metadata; undefined if it must not be posted any more. */
  post: (id: string) => Promise<string | undefined>;
  takeBack?: (ts: string) => Promise<void>;
  /**
   * Records the message and what it shows.
   * @param isCurrent false for a post that was looked up: it shows what it was posted with, not what was drawn now.
   */
  record: (tx: BridgeTx, ts: string, isCurrent: boolean) => Promise<void>;
  gone?: Call['gone'];
}

/** Returns the call that posts the bot's message, or updates it if it was posted before. */
export function messageCall(
  writer: ChatWriter,
  { channel, ts, text, blocks }: ShownMessage,
  { thread, post, takeBack, record, gone }: MessageSteps,
): Call {
  const after: Call['after'] = async (tx, shown, found) => {
    if (shown !== undefined) await record(tx, shown, !found);
  };
  if (ts === null)
    return {
      methods: ['chat.postMessage'],
      lookIn: { thread },
      make: post,
      ...(takeBack && { takeBack }),
      after,
    };
  const make = () => writer.update(channel, ts, text, blocks).then(() => ts);
  return { methods: ['chat.update'], isDrawn: true, make, after, ...(gone && { gone }) };
}

/** Returns the call that changes the bot's emoji on a message: old ones are removed, then one is added. */
export function emojiCall(
  writer: ChatWriter,
  { channel, ts }: { channel: string; ts: string },
  { remove, add }: { remove: readonly string[]; add: string | null },
  record: Required<Pick<Call, 'after' | 'gone'>>,
): Call {
  return {
    methods:
      remove.length === 0
        ? ['reactions.add']
        : ['reactions.remove', ...(add === null ? [] : (['reactions.add'] as const))],
    make: async () => {
      for (const emoji of remove) await writer.unreact(channel, ts, emoji);
      if (add !== null) await writer.react(channel, ts, add);
      return undefined;
    },
    ...record,
  };
}
