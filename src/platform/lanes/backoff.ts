const FIRST_MS = 1_000;
const CAP_MS = 60_000;

/**
 * Milliseconds until the next try after `attempt` failed ones: anything up to 1 s, 2 s, 4 s, … at most 60 s (so half
 * a second on average at first). Evenly over the whole span, because what fails together would otherwise come back
 * together. `random`: 0 ≤ x < 1.
 */
export function backoff(attempt: number, random: () => number): number {
  // 2 ** attempt is Infinity for large attempts, which Math.min takes well.
  return random() * Math.min(CAP_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1));
}
