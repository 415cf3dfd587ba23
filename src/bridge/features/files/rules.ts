/** What is known of one file on its way into chat when the bridge decides about its next step. */
export interface UploadSituation {
  /** Its ticket message still stands, and is still shown here. */
  wanted: boolean;
  /** Chat has its bytes under an id that is recorded here. */
  hasBytes: boolean;
  /** Milliseconds since chat was asked to show it; undefined while it surely was not. */
  askedMs: number | undefined;
  /** Milliseconds since chat said that it will; undefined while it did not. */
  takenMs: number | undefined;
  /** Whether chat shows it, in its thread or elsewhere in the channel. */
  shown: 'no' | 'in-thread' | 'elsewhere';
}

export type UploadDecision =
  | { do: 'send' }
  | { do: 'ask' }
  | { do: 'wait'; ms: number }
  | { do: 'record' }
  /** A line takes its place: its ticket message's text never goes without it unsaid. */
  | { do: 'give-up'; why: string }
  | { do: 'drop' };

/** A request that got no answer may still be under way for this long, also from a process that was killed. */
const ANSWERED_WITHIN_MS = 15_000;
/**
 * Chat shows a file some time after it said that it will, for it is scanned first; now and then it never does
 * (slackapi/python-slack-sdk issues 1277 and 1329, slackapi/bolt-js issue 2115).
 */
const SHOWN_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

/**
 * The next step of a file on its way into chat (B18): its bytes first, under an id that is recorded before chat is
 * asked to show it; then the message that shows it is looked for by that id, and it is asked for again only when a
 * request without an answer must be over.
 */
export function decideUpload(situation: UploadSituation): UploadDecision {
  const { wanted, hasBytes, askedMs, takenMs, shown } = situation;
  if (!hasBytes) return wanted ? { do: 'send' } : { do: 'drop' };
  if (askedMs === undefined) return wanted ? { do: 'ask' } : { do: 'drop' };
  if (shown === 'in-thread') return { do: 'record' };
  if (shown === 'elsewhere') return { do: 'give-up', why: 'its thread is gone' };
  if (takenMs !== undefined)
    return takenMs < SHOWN_WITHIN_MS
      ? { do: 'wait', ms: LOOK_EVERY_MS }
      : { do: 'give-up', why: 'chat took it and did not show it' };
  if (askedMs < ANSWERED_WITHIN_MS) return { do: 'wait', ms: LOOK_EVERY_MS };
  return wanted ? { do: 'ask' } : { do: 'drop' };
}
