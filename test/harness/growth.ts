import { cpuMs } from './event-loop.ts';

/** A call that takes less is not judged: what grows too fast is slower soon enough. */
const FLOOR_MS = 5;
/** How much longer twice the input may take. What grows as its square takes four times as long. */
const MOST = 2.5;
/** Repeated until the clock of the thread, which some systems advance by 4 ms at a time, has counted this much. */
const MEASURED_MS = 40;
const TRIES = 8;
/** One alone could be slow for the shorter text, and hide what grows. */
const TRIES_AT_LEAST = 2;
/** How much longer the text of the second look is. */
const SECOND_LOOK = 4;
/** A call that takes longer gets no second look, which could take minutes. */
const LONG_MS = 100;

/**
 * Returns how many times longer a call takes with twice the text; undefined if it grows as its text does.
 *
 * Measured in CPU time of this thread, so that the load of the machine does not count, and by the shortest time of
 * several tries for each length, because compilation, the collection of garbage and a core that is shared make some
 * tries slower, and none faster. A call grows too fast only if it does so both in the mean of two doublings, up to the
 * whole length, and in the last one, and again with a text four times as long: a single step in the time, where the
 * engine treats longer texts in another way, is no growth.
 */
export function growth(
  call: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): number | undefined {
  const first = growthTo(call, textOf, length);
  if (first === undefined || first.ms > LONG_MS) return first?.times;
  return growthTo(call, textOf, length * SECOND_LOOK)?.times;
}

function growthTo(
  call: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): { times: number; ms: number } | undefined {
  const [quarter, half, whole] = [textOf(length / 4), textOf(length / 2), textOf(length)];
  // By the clock on the wall, which is quick to read and never counts less.
  for (let round = 0; round < 2; round++) {
    const before = performance.now();
    call(whole);
    if (performance.now() - before < FLOOR_MS) return undefined;
  }
  const least = { quarter: Infinity, half: Infinity, whole: Infinity };
  let times = Infinity;
  for (let round = 0; round < TRIES_AT_LEAST || (round < TRIES && times > MOST); round++) {
    least.quarter = Math.min(least.quarter, cpuOf(call, quarter));
    least.half = Math.min(least.half, cpuOf(call, half));
    least.whole = Math.min(least.whole, cpuOf(call, whole));
    times = Math.min(Math.sqrt(least.whole / least.quarter), least.whole / least.half);
  }
  return times > MOST && least.whole >= FLOOR_MS ? { times, ms: least.whole } : undefined;
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
