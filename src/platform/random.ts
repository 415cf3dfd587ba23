/** Chance, 0 ≤ x < 1; for jitter, never for secrets. Passed in, so that a test can repeat it. */
export const systemRandom = (): number => Math.random();
