import type { ReceiptMark } from '../../blocks/emoji.ts';

/** A user's action in chat that has not reached the ticket yet. */
export interface PendingFacts {
  /** It failed permanently. */
  dead: boolean;
  /** It, or an earlier event of its conversation, failed and is being retried. */
  held: boolean;
  waitedMs: number;
}

/** Returns the status reaction of a message: the worst of its pending events (its text, an edit). */
export function markOf(pending: readonly PendingFacts[], afterMs: number): ReceiptMark | null {
  if (pending.some(({ dead }) => dead)) return 'failed';
  // An event that is merely queued is delivered in a moment; a reaction would only flicker.
  return pending.some(({ held, waitedMs }) => held && waitedMs >= afterMs) ? 'waiting' : null;
}

const MARKS: readonly ReceiptMark[] = ['waiting', 'failed'];

/**
 * Returns the calls that bring a message to the wanted status reaction; undefined if it has it. `started`: an earlier
 * attempt may have added any reaction, so all others are removed.
 */
export function reactionsFor({
  wanted,
  shown,
  begun,
}: {
  wanted: ReceiptMark | null;
  shown: ReceiptMark | null;
  begun: boolean;
}): { remove: readonly ReceiptMark[]; add: ReceiptMark | null } | undefined {
  if (wanted === shown && !begun) return undefined;
  return { remove: MARKS.filter((mark) => mark !== wanted && (begun || mark === shown)), add: wanted };
}
