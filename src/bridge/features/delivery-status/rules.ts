import type { ReceiptMark } from '../../blocks/emoji.ts';

/** Something that a person did in chat and that is not on the ticket yet. */
export interface PendingFacts {
  /** It can never go through as it is. */
  dead: boolean;
  /** It, or what is before it in its conversation, failed and is tried again. */
  held: boolean;
  waitedMs: number;
}

/** What one message bears: the worst of everything that is pending of it (its text, an edit of it). */
export function markOf(pending: readonly PendingFacts[], afterMs: number): ReceiptMark | null {
  if (pending.some(({ dead }) => dead)) return 'failed';
  // What merely waits for its turn crosses in a moment; a mark would only flicker.
  return pending.some(({ held, waitedMs }) => held && waitedMs >= afterMs) ? 'waiting' : null;
}

const MARKS: readonly ReceiptMark[] = ['waiting', 'failed'];

/**
 * The reactions that bring one message to the mark that is wanted; undefined where it bears it. `begun`: an earlier
 * attempt may have put any mark there, so all others are taken away, known to be there or not.
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
