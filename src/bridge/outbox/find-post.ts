import { readMark } from '../slack/mark.ts';
import type { ChatReader } from '../slack/reader.ts';

/** Slack's clock and ours may differ by this much; earlier messages cannot be the post. */
const SKEW_SECONDS = 300;

/** Where a post was found. */
export interface FoundPost {
  ts: string;
  /** Its thread is gone, and Slack put it into the channel (B58). */
  fellOut: boolean;
}

/**
 * Looks for a post with an unknown outcome, by its metadata: in its thread, or in its channel if it is a parent message
 * or its thread is gone (B51).
 * @returns undefined if it is certainly not there.
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
