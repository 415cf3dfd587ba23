/** The share of its time from which on the event loop counts as busy with requests. */
const BUSY = 0.1;
/** How long a rest is, relative to the work before it. */
const REST = 9;
/** No rest is longer: what takes long here may only wait for a processor that others have. */
const LONGEST_REST_MS = 400;

/**
 * Does a piece of work that takes a core for some ten milliseconds in another thread. If this process was busy with
 * requests meanwhile, the caller should rest for `restMs` before the next piece, so that such work takes at most a
 * tenth of a core from them.
 */
export async function inBackground<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; restMs: number }> {
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  const result = await work();
  const isBusy = performance.eventLoopUtilization(before).utilization > BUSY;
  return { result, restMs: isBusy ? Math.min(REST * (performance.now() - began), LONGEST_REST_MS) : 0 };
}
