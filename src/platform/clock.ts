/** Where the time comes from. Passed in everywhere, so that a test can hold it still or move it. */
export interface Clock {
  now(): Date;
}

/** The machine's own clock; the one place of the code that reads it. */
export const systemClock: Clock = { now: () => new Date() };
