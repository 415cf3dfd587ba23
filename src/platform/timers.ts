/** A call that is planned for later. */
export interface Timer {
  cancel(): void;
}

/** Source of delays. Passed in where a test decides when time passes. */
export interface Timers {
  /** Milliseconds that have passed, since some moment. */
  elapsed(): number;
  /** Calls `run` once, after so many milliseconds. */
  after(ms: number, run: () => void): Timer;
}

export const systemTimers: Timers = {
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};
