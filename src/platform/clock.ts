/** Source of the current time. Passed in everywhere, so that tests can stop or move it. */
export interface Clock {
  now(): Date;
}

/** The system clock; the only place in the code that reads it. */
export const systemClock: Clock = { now: () => new Date() };
