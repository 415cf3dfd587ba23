import { readMark } from './mark.ts';
import type { ChatReader } from './reader.ts';

/** Chat's clock and ours may differ by this much; messages before it cannot be the post that is looked for. */
const SKEW_SECONDS = 300;

/**
 * Looks for a post of ours whose outcome is unknown, by its mark, in its thread or (a root) in its channel (B51).
 * @returns its timestamp, or undefined when it is surely not there.
 */
export async function findPost(
  reader: ChatReader,
  {
    channel,
    thread,
    mark,
    since,
  }: { channel: string; thread: string | undefined; mark: string; since: Date },
): Promise<string | undefined> {
  const oldest = (since.getTime() / 1000 - SKEW_SECONDS).toFixed(6);
  const messages = thread
    ? reader.thread(channel, thread, { oldest, metadata: true })
    : reader.history(channel, oldest);
  for await (const message of messages) {
    const marked = readMark(message);
    if (marked?.mark.id === mark) return marked.ts;
  }
  return undefined;
}
