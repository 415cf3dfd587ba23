import { cpuMs } from './event-loop.ts';

/** A call that takes less, by the clock on the wall, is not measured: what grows too fast is slower soon enough. */
const FLOOR_MS = 5;
/** How much longer twice the input may take. */
const MOST = 2.5;
/** Repeated until the clock of the thread, which some systems advance by 4 ms at a time, has counted this much. */
const MEASURED_MS = 40;
const TRIES = 4;

/**
 * Returns how many times longer a call takes with twice the input; undefined if it grows as its input does. The mean of
 * two doublings, from a quarter of the input to the whole. In CPU time of this thread, so that the load of the machine
 * does not count; the smallest of a few ratios, because compilation and the collection of garbage make some calls slower.
 */
export function growth(call: (text: string) => unknown, quarter: string, whole: string): number | undefined {
  for (let round = 0; round < 2; round++) {
    const before = performance.now();
    call(whole);
    if (performance.now() - before < FLOOR_MS) return undefined;
  }
  let least = Infinity;
  for (let round = 0; round < TRIES && least > MOST; round++)
    least = Math.min(least, Math.sqrt(cpuOf(call, whole) / cpuOf(call, quarter)));
  return least > MOST ? least : undefined;
}

/** CPU milliseconds of one call. */
function cpuOf(call: (text: string) => unknown, text: string): number {
  const before = cpuMs();
  let [calls, ms] = [0, 0];
  do {
    call(text);
    calls++;
    ms = cpuMs() - before;
  } while (ms < MEASURED_MS);
  return ms / calls;
}
