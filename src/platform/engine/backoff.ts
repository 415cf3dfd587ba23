const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * Returns the milliseconds until the next attempt after so many failed ones: up to 1 s, 2 s, 4 s … 60 s. Spread evenly, so
 * that what failed together is not tried again together.
 * @param random 0 ≤ x < 1.
 */
export function backoff(attempts: number, random: () => number): number {
  return random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1));
}
