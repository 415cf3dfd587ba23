/** Pause if there is nothing to do: a new ticket waits no longer for its turn. */
export const POLL_MS = 500;
/** Rests that new tickets may put off together: about fifty of them in a row are read at once. */
const MOST_OWED_MS = 20_000;

/** The last piece of work. */
export interface Worked {
  /** How long requests want it to rest afterwards (`inBackground`). */
  restMs: number;
  /** It computed the first vector of a new ticket. */
  isNew: boolean;
  /** Nothing else is due. */
  isIdle: boolean;
}

/**
 * Decides how long the work on vectors pauses before its next piece. New tickets come first and put rests off, so that
 * somebody finds them by meaning within two seconds, even while thousands of others are read again. What was put off is
 * owed: it is made good while there is nothing to do, and beyond a limit new tickets wait like others.
 */
export class Pace {
  #owedMs = 0;

  pauseAfter({ restMs, isNew, isIdle }: Worked): number {
    if (isNew && this.#owedMs + restMs <= MOST_OWED_MS) {
      this.#owedMs += restMs;
      return 0;
    }
    if (!isIdle) return restMs;
    this.#owedMs = Math.max(0, this.#owedMs - POLL_MS);
    return POLL_MS;
  }
}
