/**
 * The longest time that `work` blocked the event loop, in milliseconds of this thread's CPU time, the least of five
 * rounds: what `work` does it does in each, and what compilation or the machine add is not in all of them. CPU time
 * instead of wall clock time: on a busy machine the thread waits for a core, which is not the fault of `work`.
 */
export async function longestBlockMs(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    let [longest, done, before] = [0, false, cpuMs()];
    const check = () => {
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
      if (!done) setImmediate(check);
    };
    setImmediate(check);
    await work();
    // One more turn, for what `work` did in its last one.
    await new Promise((resolve) => setImmediate(resolve));
    done = true;
    check();
    least = Math.min(least, longest);
  }
  return least;
}

/** CPU milliseconds of this thread since it started. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
