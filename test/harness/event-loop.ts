/**
 * The longest time that `work` blocked the event loop, in milliseconds of this thread's CPU time, median of
 * five rounds. CPU time instead of wall clock time: on a busy machine the thread waits for a core, which is
 * not the fault of `work`.
 */
export async function longestBlockMs(work: () => unknown): Promise<number> {
  const rounds: number[] = [];
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
    rounds.push(longest);
  }
  return rounds.sort((a, b) => a - b)[2] ?? Infinity;
}

/** CPU milliseconds of this thread since it started. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
