import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A program of the simulation, from its start to its end or its kill. The timers, connections and servers that it makes
 * belong to it: when it is killed, none of them goes on, as if its process were gone.
 */
export class Program {
  readonly name: string;
  /** By how many milliseconds its wall clock is ahead. */
  skewMs: number;
  isKilled = false;
  /** Until this time of the world it does nothing, as a process that is stopped: what is due or arrives waits. 0: it runs. */
  standsUntil = 0;
  /** Its ends of the connections that are open. */
  readonly connections = new Set<{ cut(): void }>();
  readonly #onKill = new Set<() => void>();

  constructor(name: string, skewMs = 0) {
    this.name = name;
    this.skewMs = skewMs;
  }

  /** Runs `work` as a part of this program, and all that it starts. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  /** Ends the program at once. Its code only waits for timers and connections, so it never goes on. */
  kill(): void {
    this.isKilled = true;
    for (const end of this.#onKill) end();
    // What is cut leaves the set.
    for (const connection of Array.from(this.connections)) connection.cut();
  }

  /** Calls `end` when the program is killed. */
  onKill(end: () => void): void {
    this.#onKill.add(end);
  }
}

const current = new AsyncLocalStorage<Program>();

/** Runs `work` as no program's: what it starts goes on whoever is killed. */
export const outsidePrograms = <Result>(work: () => Result): Result => current.exit(work);

/** The program whose code runs; undefined for the simulation's own. */
export const runningProgram = (): Program | undefined => current.getStore();

/**
 * Lets what a program begins outside of a context (of a span, for example) still belong to that program: in a process of
 * its own it would. Called before the product is loaded, which keeps such contexts.
 */
export function installPrograms(): void {
  const snapshot = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage);
  AsyncLocalStorage.snapshot = () => {
    const inContext = snapshot();
    return (work, ...args) => {
      const program = runningProgram();
      return inContext(() => (program ? program.run(() => work(...args)) : work(...args)));
    };
  };
}
