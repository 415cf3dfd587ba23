/** Random number, 0 ≤ x < 1; for jitter, never for secrets. Passed in, so that tests can repeat it. */
export const systemRandom = (): number => Math.random();
