import { readMark } from '../slack/mark.ts';
import type { ChatReader } from '../slack/reader.ts';

/** Chat's clock and ours may differ by this much; messages before it cannot be the post that is looked for. */
const SKEW_SECONDS = 300;

/** Where a post was found. */
export interface FoundPost {
  ts: string;
  /** Its thread is gone, and chat put it into the channel (B58). */
  fellOut: boolean;
}

/**
 * Looks for a post of ours whose outcome is unknown, by its mark: in its thread, or in its channel where it is a root or
 * its thread is gone (B51).
 * @returns undefined when it is surely not there.
 */
export async function findPost(
  reader: ChatReader,
  {
    channel,
    thread,
    mark,
    since,
  }: { channel: string; thread: string | undefined; mark: string; since: Date },
): Promise<FoundPost | undefined> {
  const oldest = (since.getTime() / 1000 - SKEW_SECONDS).toFixed(6);
  if (thread) {
    let stands = false;
    for await (const message of reader.thread(channel, thread, { oldest, metadata: true })) {
      stands = true;
      const marked = readMark(message);
      if (marked?.mark.id === mark) return { ts: marked.ts, fellOut: false };
    }
    if (stands) return undefined;
  }
  for await (const message of reader.history(channel, oldest)) {
    const marked = readMark(message);
    if (marked?.mark.id === mark) return { ts: marked.ts, fellOut: thread !== undefined };
  }
  return undefined;
}
