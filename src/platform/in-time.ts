import { setTimeout as wait } from 'node:timers/promises';

/** Resolves with what work results in, or with undefined once it has taken this long: then it goes on unheeded. */
export async function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const done = new AbortController();
  const late = wait(ms, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
