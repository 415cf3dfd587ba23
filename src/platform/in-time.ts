import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves with the result of the work, or with undefined after this time: then the work goes on, and its result is
 * ignored.
 */
export async function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const done = new AbortController();
  const late = wait(ms, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
