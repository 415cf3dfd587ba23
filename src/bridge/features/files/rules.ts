/** The facts about a file that decide its next step. */
export interface UploadFacts {
  /** Its ticket message still exists, and is still shown here. */
  wanted: boolean;
  /** Slack has its bytes under a recorded id. */
  hasBytes: boolean;
  /** Milliseconds since Slack was asked to share it; undefined if it certainly was not. */
  askedMs: number | undefined;
  /** Milliseconds since Slack accepted; undefined if it did not. */
  takenMs: number | undefined;
  /** Whether Slack shows it, in its thread or elsewhere in the channel. */
  shown: 'no' | 'in-thread' | 'elsewhere';
}

export type UploadDecision =
  | { do: 'send' }
  | { do: 'ask' }
  | { do: 'wait'; ms: number }
  | { do: 'record' }
  /** A line replaces it, so that the ticket message is not incomplete without a sign. */
  | { do: 'give-up'; why: string }
  | { do: 'drop' };

/** A request without a response may still be under way for this long, even from a process that was killed. */
const ANSWERED_WITHIN_MS = 15_000;
/**
 * Slack shows a file some time after it accepted it, because it is scanned first; occasionally it never does
 * (slackapi/python-slack-sdk issues 1277 and 1329, slackapi/bolt-js issue 2115).
 */
const SHOWN_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

/**
 * Decides the next step of a file on its way into chat (B18): its bytes first, under an id that is recorded before
 * Slack is asked to share it; then its message is looked up by that id, and it is shared again only when a request
 * without a response must be over.
 */
export function decideUpload(situation: UploadFacts): UploadDecision {
  const { wanted, hasBytes, askedMs, takenMs, shown } = situation;
  if (!hasBytes) return wanted ? { do: 'send' } : { do: 'drop' };
  if (askedMs === undefined) return wanted ? { do: 'ask' } : { do: 'drop' };
  if (shown === 'in-thread') return { do: 'record' };
  if (shown === 'elsewhere') return { do: 'give-up', why: 'its thread is gone' };
  if (takenMs !== undefined)
    return takenMs < SHOWN_WITHIN_MS
      ? { do: 'wait', ms: LOOK_EVERY_MS }
      : { do: 'give-up', why: 'Slack took it and did not show it' };
  if (askedMs < ANSWERED_WITHIN_MS) return { do: 'wait', ms: LOOK_EVERY_MS };
  return wanted ? { do: 'ask' } : { do: 'drop' };
}
