import { setTimeout as delay } from 'node:timers/promises';

/** The share of its time from which on the event loop counts as busy with requests. */
const BUSY = 0.1;
/** How long a rest is, relative to the work before it. */
const REST = 9;
/** It rests no longer than this: what takes long here may only wait for a processor that others have. */
const LONGEST_REST_MS = 400;

/**
 * Does a piece of work that takes a core for some ten milliseconds in another thread. If this process was busy with
 * requests meanwhile, it rests afterwards, so that such work takes at most a tenth of a core from them.
 */
export async function inBackground<Result>(
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  const result = await work();
  if (performance.eventLoopUtilization(before).utilization > BUSY) {
    const restMs = Math.min(REST * (performance.now() - began), LONGEST_REST_MS);
    await delay(restMs, undefined, signal ? { signal } : {});
  }
  return result;
}
