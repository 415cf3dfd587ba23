/** What is known of a ticket when the bridge decides whether a place gets a card of it. */
export interface CopySituation {
  /** A ticket of which only some may know. */
  private: boolean;
  /** It is done with: nobody needs to be told of it any more. */
  ended: boolean;
  assigned: boolean;
  /** The queue's `silentMode`. */
  silent: boolean;
  /** The queue's `sendAllTicketToTriageChannel`. */
  all: boolean;
}

/**
 * Whether a triage channel gets a card of a ticket that has none there: of every ticket where the queue says so, else of
 * those that nobody has taken; private ones only where the channel is private (B26, B27, B28).
 */
export function wantsTriageCard(
  { private: isPrivate, ended, assigned, silent, all }: CopySituation,
  channelIsPrivate: boolean,
): boolean {
  if (silent || ended) return false;
  if (isPrivate && !channelIsPrivate) return false;
  return all || !assigned;
}
