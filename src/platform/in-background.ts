import { setTimeout as delay } from 'node:timers/promises';

/** The share of its time from which on the event loop counts as busy with requests. */
const BUSY = 0.1;
/** How long a rest is, relative to the work before it. */
const REST = 9;

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
  if (performance.eventLoopUtilization(before).utilization > BUSY)
    await delay(REST * (performance.now() - began), undefined, signal ? { signal } : {});
  return result;
}
