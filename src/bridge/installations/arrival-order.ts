import { z } from 'zod';

import { isDirectOfTwo } from '../slack/ids.ts';

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

/** Takes over an event at once, before it is stored. */
type Hand<Result> = () => Promise<Result>;

/**
 * Keeps a thread's events in their order of arrival (B66) while it is found out whose they are, which may take a look
 * into the database or a call of Slack: each is handed over after the one before it. Two processes keep no order
 * between them.
 * @param find finds who takes the event.
 */
export function inArrivalOrder<Result>(): (
  body: unknown,
  find: () => Promise<Hand<Result>>,
) => Promise<Result> {
  const latest = new Map<string, Promise<void>>();
  return async (body, find) => {
    const thread = threadOf(body);
    if (thread === undefined) return (await find())();
    const before = latest.get(thread);
    const found = find();
    const handed = Promise.allSettled([before, found]).then(async () => ({ storing: (await found)() }));
    // Slack resends an event that could not be handed over; the ones behind it continue.
    const settled = handed.then(
      () => undefined,
      () => undefined,
    );
    latest.set(thread, settled);
    try {
      return await (
        await handed
      ).storing;
    } finally {
      if (latest.get(thread) === settled) latest.delete(thread);
    }
  };
}

/**
 * Returns the channel and parent message of a message event; undefined for everything else. A direct conversation is
 * one thread: a message there continues the request in the messages before it (B8).
 */
function threadOf(body: unknown): string | undefined {
  const parsed = ThreadEvent.safeParse(body);
  if (!parsed.success) return undefined;
  const { channel, ts, thread_ts, deleted_ts, message, previous_message: previous, item } = parsed.data.event;
  if (channel !== undefined && isDirectOfTwo(channel)) return channel;
  if (item)
    return item.channel !== undefined && item.ts !== undefined ? `${item.channel} ${item.ts}` : undefined;
  const root = thread_ts ?? message?.thread_ts ?? previous?.thread_ts ?? message?.ts ?? deleted_ts ?? ts;
  return channel !== undefined && root !== undefined ? `${channel} ${root}` : undefined;
}
