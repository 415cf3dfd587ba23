import type { Running } from './lifecycle.ts';
import type { Log } from './log.ts';

export interface Repeated {
  /** Does some of the work; resolves to whether there may be more, which then follows at once. */
  work: () => Promise<boolean>;
  /** Milliseconds between the looks for work. */
  everyMs: number;
  log: Log;
  /** The log's line for the first failure in a row; what fails is repeated at the next look. */
  failed: string;
}

/** Repeats some work in the background, never twice at once, until it is stopped; a stop waits for what runs. */
export function startRepeating({ work, everyMs, log, failed }: Repeated): Running {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let failures = 0;
  const run = async () => {
    try {
      let isMore = true;
      while (isMore && !isStopped) isMore = await work();
      if (failures > 0) log.info({ failures }, `${failed} for a while; it works again`);
      failures = 0;
    } catch (error) {
      if (isStopped) return;
      // While a database is away for an hour, one line says so, not one for each look.
      log[failures === 0 ? 'warn' : 'debug']({ err: error }, failed);
      failures += 1;
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
