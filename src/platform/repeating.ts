import type { Running } from './lifecycle.ts';
import type { Log } from './log.ts';

export interface Repeated {
  /** Does some of the work; resolves to whether there may be more, which then follows at once. */
  work: () => Promise<boolean>;
  /** Milliseconds between the looks for work. */
  everyMs: number;
  log: Log;
  /** The log's line for a failure; what fails is repeated at the next look. */
  failed: string;
}

/** Repeats some work in the background, never twice at once, until it is stopped; a stop waits for what runs. */
export function startRepeating({ work, everyMs, log, failed }: Repeated): Running {
  let isStopped = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      let isMore = true;
      while (isMore && !isStopped) isMore = await work();
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, failed);
    }
  };
  const timer = setInterval(() => {
    running ??= run().finally(() => (running = undefined));
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
