/** From one look for texts to the next: a new ticket waits no longer for its turn. */
export const LOOK_MS = 500;
/** Rests that new tickets may put off together: about fifty of them in a row are read at once. */
const MOST_OWED_MS = 20_000;

/** The last piece of work. */
export interface Worked {
  /** How long requests want it to rest afterwards (`inBackground`). */
  restMs: number;
  /** It computed the first vector of a new ticket. */
  isNew: boolean;
}

/**
 * Decides how long the work on vectors pauses before its next piece. New tickets come first and put rests off, so that
 * somebody finds them by meaning within two seconds, even while thousands of others are read again. What was put off is
 * owed: it is made good while there is nothing to do, and beyond a limit new tickets wait like others.
 */
export class Pace {
  #owedMs = 0;

  /** Milliseconds until the next piece, of which there is one. */
  pauseAfter({ restMs, isNew }: Worked): number {
    if (!isNew || this.#owedMs + restMs > MOST_OWED_MS) return restMs;
    this.#owedMs += restMs;
    return 0;
  }

  /** There was nothing to do for so long. */
  rested(ms: number): void {
    this.#owedMs = Math.max(0, this.#owedMs - ms);
  }
}
