/**
 * The longest that `work` held the event loop, in milliseconds of this thread's CPU time, median of five rounds. CPU
 * time instead of a clock: on a machine that is busy elsewhere the thread waits for its core, which is not our doing.
 */
export async function longestHoldMs(work: () => unknown): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    let [longest, done, before] = [0, false, cpuMs()];
    const turn = () => {
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    await work();
    // Once more, for what `work` did in its last turn.
    await new Promise((resolve) => setImmediate(resolve));
    done = true;
    turn();
    rounds.push(longest);
  }
  return rounds.sort((a, b) => a - b)[2] ?? Infinity;
}

/** Milliseconds of CPU time that this thread has taken since it began. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
