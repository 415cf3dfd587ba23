const ROUND_MS = 5 * 60_000;

/**
 * Returns what a requester is told of an expected first reply: an expectation, not an appointment, so rounded up, the
 * same in chat and at the desk; and whether it has passed.
 */
export function promisedReply(expectedReplyAt: string | Date, now: Date): { at: Date; isOver: boolean } {
  const at = new Date(Math.ceil(new Date(expectedReplyAt).getTime() / ROUND_MS) * ROUND_MS);
  return { at, isOver: at <= now };
}
