import { cpuMs } from './event-loop.ts';

/** A call that takes less, by the clock on the wall, is not measured: what grows too fast is slower soon enough. */
const FLOOR_MS = 5;
/** How much longer twice the input may take. What grows as its square takes four times as long. */
const MOST = 2.5;
/** Repeated until the clock of the thread, which some systems advance by 4 ms at a time, has counted this much. */
const MEASURED_MS = 40;
const TRIES = 8;

/**
 * Returns how many times longer a call takes with twice the text; undefined if it grows as its text does.
 *
 * Measured in CPU time of this thread, so that the load of the machine does not count, and by the shortest time of
 * several tries for each length, because compilation, the collection of garbage and a core that is shared make some
 * tries slower, and none faster. A call grows too fast only if it does so both in the mean of two doublings, up to the
 * whole length, and in the last one.
 */
export function growth(
  call: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): number | undefined {
  const [quarter, half, whole] = [textOf(length / 4), textOf(length / 2), textOf(length)];
  for (let round = 0; round < 2; round++) {
    const before = performance.now();
    call(whole);
    if (performance.now() - before < FLOOR_MS) return undefined;
  }
  const least = { quarter: Infinity, half: Infinity, whole: Infinity };
  let times = Infinity;
  for (let round = 0; round < TRIES && times > MOST; round++) {
    least.quarter = Math.min(least.quarter, cpuOf(call, quarter));
    least.half = Math.min(least.half, cpuOf(call, half));
    least.whole = Math.min(least.whole, cpuOf(call, whole));
    times = Math.min(Math.sqrt(least.whole / least.quarter), least.whole / least.half);
  }
  return times > MOST ? times : undefined;
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
