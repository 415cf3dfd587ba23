import type { Timers } from '../../src/platform/timers.ts';

/** Timers whose time passes only when a test says so. */
export interface HandTimers extends Timers {
  /** Lets so many milliseconds pass, and makes the calls that are due by then, in order. */
  pass(ms: number): void;
  /** The number of calls that are planned. */
  planned(): number;
}

export function handTimers(): HandTimers {
  let now = 0;
  const planned = new Set<{ at: number; run: () => void }>();
  const nextUntil = (end: number) =>
    [...planned].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
  return {
    elapsed: () => now,
    after(ms, run) {
      const call = { at: now + ms, run };
      planned.add(call);
      return { cancel: () => void planned.delete(call) };
    },
    pass(ms) {
      const end = now + ms;
      for (let next = nextUntil(end); next; next = nextUntil(end)) {
        now = next.at;
        planned.delete(next);
        next.run();
      }
      now = end;
    },
    planned: () => planned.size,
  };
}
