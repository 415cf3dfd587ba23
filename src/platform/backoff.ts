const FIRST_MS = 1_000;
const CAP_MS = 60_000;

/**
 * Returns the milliseconds until the next attempt after `attempt` failed ones: up to 1 s, 2 s, 4 s, … at most 60 s
 * (half a second on average at first). Spread evenly, so that work that fails together is not retried together.
 * `random`: 0 ≤ x < 1.
 */
export function backoff(attempt: number, random: () => number): number {
  // 2 ** attempt is Infinity for large attempts, which Math.min handles.
  return random() * Math.min(CAP_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1));
}
