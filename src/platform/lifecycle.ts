import type { Log } from './log.ts';

/** Something that was started and can be stopped; `stop` may be called once, finishes what runs, and never throws for being idle. */
export interface Running {
  stop(): Promise<void>;
}

/**
 * The program cannot run as it is set up, or as the command was typed. `message` is for the person who mends it and the
 * whole story: it says what to do, and no stack is shown beside it.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/**
 * What a program has started, stopped in reverse order. A part that fails to stop does not keep the others
 * from stopping; the first failure is thrown at the end.
 */
export class Parts implements Running {
  readonly #parts: { name: string; part: Running }[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  add<T extends Running>(name: string, part: T): T {
    this.#parts.push({ name, part });
    return part;
  }

  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const { name, part } of this.#parts.splice(0).reverse()) {
      try {
        await part.stop();
      } catch (error) {
        this.#log.error({ err: error, part: name }, 'could not stop cleanly');
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
