import { z } from 'zod';

import type { Intake } from '../slack/receiver.ts';
import type { Bridge } from '../bridge.ts';
import { isOurs } from '../threads/rules.ts';
import type { ChatEvent } from '../slack/chat-event.ts';

const id = z.string().optional().catch(undefined);
const Message = z.object({ ts: id, thread_ts: id }).optional().catch(undefined);
const ThreadEvent = z.object({
  event: z.object({
    channel: id,
    ts: id,
    thread_ts: id,
    deleted_ts: id,
    message: Message,
    previous_message: Message,
    item: z.object({ channel: id, ts: id }).optional().catch(undefined),
  }),
});

/**
 * Stores the events of one thread in their order of arrival (B66): each waits until the previous one is stored. Slack
 * sends a thread's events without waiting for acknowledgements, and concurrent inserts commit in any order. Two
 * processes keep no order between them.
 */
export function inArrivalOrder(intake: Intake): Intake {
  const latest = new Map<string, Promise<void>>();
  return async (body, retry) => {
    const thread = threadOf(body);
    if (thread === undefined) return intake(body, retry);
    const storing = (latest.get(thread) ?? Promise.resolve()).then(() => intake(body, retry));
    // Slack resends an event that could not be stored; the ones behind it continue.
    const settled = storing.then(
      () => undefined,
      () => undefined,
    );
    latest.set(thread, settled);
    try {
      return await storing;
    } finally {
      if (latest.get(thread) === settled) latest.delete(thread);
    }
  };
}

/** Returns the channel and parent message of a message event; undefined for everything else. */
function threadOf(body: unknown): string | undefined {
  const parsed = ThreadEvent.safeParse(body);
  if (!parsed.success) return undefined;
  const { channel, ts, thread_ts, deleted_ts, message, previous_message: previous, item } = parsed.data.event;
  if (item)
    return item.channel !== undefined && item.ts !== undefined ? `${item.channel} ${item.ts}` : undefined;
  const root = thread_ts ?? message?.thread_ts ?? previous?.thread_ts ?? message?.ts ?? deleted_ts ?? ts;
  return channel !== undefined && root !== undefined ? `${channel} ${root}` : undefined;
}

/**
 * Returns whether an event is only about what the bot itself wrote or edited: it has no effect (B16). The bot's writes
 * are recorded when they are sent; if Slack's response was lost, the outbox looks for the post.
 */
export function isOwnPost(event: ChatEvent, bot: Bridge['bot']): boolean {
  return (event.kind === 'message' || event.kind === 'message-edited') && isOurs(event.message, bot);
}
