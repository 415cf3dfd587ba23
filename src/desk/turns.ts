/**
 * Limits how much work that needs much memory runs at once: one piece of each session, a few of all. The rest waits.
 */
export interface Turns {
  /** Does the work when it is its turn. */
  take<Result>(session: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param most at once, of all sessions. */
export function createTurns(most: number): Turns {
  /** The last work of each session that has any. */
  const lines = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
    else running++;
    try {
      return await work();
    } finally {
      // The place goes to the one that waits longest.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  return {
    async take(session, work) {
      const before = lines.get(session) ?? Promise.resolve();
      const own = before.then(() => run(work));
      const line = own.catch(() => undefined);
      lines.set(session, line);
      void line.then(() => lines.get(session) === line && lines.delete(session));
      return own;
    },
  };
}
