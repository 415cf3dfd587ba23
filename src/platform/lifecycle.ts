import type { Log } from './log.ts';

/**
 * Something that was started and can be stopped. `stop` may be called once, finishes what runs, and never throws
 * because it is idle.
 */
export interface Running {
  stop(): Promise<void>;
}

/**
 * The program cannot run with this configuration or command line. `message` is complete: it says what is wrong and what
 * to do, and is shown without a stack.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/**
 * The parts that a program has started, stopped in reverse order. If one fails to stop, the others still stop; the
 * first error is thrown at the end.
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
