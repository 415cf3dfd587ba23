import { AsyncResource } from 'node:async_hooks';
import { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

import { outsidePrograms, runningProgram } from './program.ts';

const RealDate = Date;
const realImmediate = setImmediate;

/** Work that has not ended after this time waits for something that never comes. */
const LONGEST_MS = 600_000;

type Callback = (...args: unknown[]) => void;

/** What `setTimeout`, `setInterval` and `setImmediate` return. */
class VirtualTimer {
  readonly #time: VirtualTime;
  readonly #run: () => void;
  /** What the callback starts belongs to who set the timer. */
  readonly #scope = new AsyncResource('VirtualTimer');
  readonly #everyMs: number | undefined;
  readonly #afterMs: number;
  readonly program = runningProgram();
  at = 0;
  sequence = 0;
  isPlanned = false;

  /** @param at the time of the world. */
  constructor(time: VirtualTime, run: () => void, at: number, everyMs?: number) {
    this.#time = time;
    this.#run = run;
    this.#afterMs = at - time.now;
    this.#everyMs = everyMs;
    time.plan(this, at);
  }

  fire(): void {
    if (this.program?.isKilled) return;
    const { now } = this.#time;
    const standsUntil = this.program?.standsUntil ?? now;
    if (standsUntil > now) {
      this.#time.plan(this, standsUntil);
      return;
    }
    if (this.#everyMs !== undefined) this.#time.plan(this, now + this.#everyMs);
    this.#scope.runInAsyncScope(this.#run);
  }

  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  refresh(): this {
    this.close();
    this.#time.plan(this, this.#time.now + this.#afterMs);
    return this;
  }
  close(): this {
    this.#time.cancel(this);
    return this;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Time that passes only when nothing is left to do: then it jumps to the next timer. All clocks and timers of the
 * process are its own once it is installed; each program's wall clock may be ahead of the others'.
 */
export class VirtualTime {
  /** Milliseconds since the epoch, of a clock that is right. */
  #now: number;
  #sequence = 0;
  /** The earliest last. */
  readonly #timers: VirtualTimer[] = [];

  constructor(start: Date) {
    this.#now = start.getTime();
  }

  get now(): number {
    return this.#now;
  }

  /** Begins again; what was planned is forgotten. */
  reset(start: Date): void {
    this.#now = start.getTime();
    this.#sequence = 0;
    // Their owners may still refresh or clear them.
    for (const timer of this.#timers) timer.isPlanned = false;
    this.#timers.length = 0;
  }

  plan(timer: VirtualTimer, at: number): void {
    timer.at = at;
    timer.sequence = this.#sequence++;
    timer.isPlanned = true;
    this.#timers.splice(this.#placeOf(timer), 0, timer);
  }

  cancel(timer: VirtualTimer): void {
    if (!timer.isPlanned) return;
    timer.isPlanned = false;
    this.#timers.splice(this.#timers.indexOf(timer), 1);
  }

  /** Calls back after so many milliseconds, for whichever program asks. */
  after(ms: number, run: () => void): void {
    this.at(this.#now + ms, run);
  }

  /** Calls back at this time, after all that was planned for it before. */
  at(ms: number, run: () => void): void {
    new VirtualTimer(this, run, ms);
  }

  /**
   * Fires timers, one after the other, until `isDone`, or until the time is `until`. Resolves to whether it is done.
   */
  async run(isDone: () => boolean, until = Infinity): Promise<boolean> {
    for (;;) {
      await settled();
      if (isDone()) return true;
      const next = this.#timers.pop();
      if (!next) return false;
      if (next.at > until) {
        this.#timers.push(next);
        this.#now = until;
        return false;
      }
      next.isPlanned = false;
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
  }

  /** Resolves with the result of `work`, in virtual time; rejects if it does not end within ten minutes of that. */
  async whileRunning<Result>(work: Promise<Result>, label: string): Promise<Result> {
    let isDone = false;
    const ended = () => {
      isDone = true;
    };
    work.then(ended, ended);
    if (!(await this.run(() => isDone, this.#now + LONGEST_MS)))
      throw new Error(`this did not end: ${label}`);
    return work;
  }

  #placeOf(timer: VirtualTimer): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle] as VirtualTimer;
      const isLater = other.at > timer.at || (other.at === timer.at && other.sequence > timer.sequence);
      if (isLater) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Replaces every clock and timer of the process. */
  install(): void {
    const wall = () => Math.floor(this.#now + (runningProgram()?.skewMs ?? 0));
    const start = this.#now;
    const sinceStart = () => this.#now - start;
    class VirtualDate extends RealDate {
      constructor(...args: unknown[]) {
        super(...((args.length === 0 ? [wall()] : args) as [number]));
      }
      static override now = wall;
    }
    globalThis.Date = VirtualDate as DateConstructor;
    dateAnswers(wall);
    performance.now = sinceStart;
    const nanoseconds = () => BigInt(Math.round(sinceStart() * 1e6));
    const hrtime = (before?: [number, number]): [number, number] => {
      const ns = nanoseconds() - (before ? BigInt(before[0]) * 1_000_000_000n + BigInt(before[1]) : 0n);
      return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
    };
    process.hrtime = Object.assign(hrtime, { bigint: nanoseconds });

    const set = (run: Callback, ms?: number, ...args: unknown[]) =>
      new VirtualTimer(this, () => run(...args), this.#now + atLeastOne(ms));
    const every = (run: Callback, ms?: number, ...args: unknown[]) =>
      new VirtualTimer(this, () => run(...args), this.#now + atLeastOne(ms), atLeastOne(ms));
    const soon = (run: Callback, ...args: unknown[]) => new VirtualTimer(this, () => run(...args), this.#now);
    const clear = (timer: unknown) => {
      if (timer instanceof VirtualTimer) timer.close();
    };
    const globals = {
      setTimeout: set,
      setInterval: every,
      setImmediate: soon,
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    };
    const wait = (ms?: number, value?: unknown, options: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        const aborted = () => {
          timer.close();
          reject(Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), ABORTED));
        };
        const timer = set(() => {
          signal?.removeEventListener('abort', aborted);
          resolve(value);
        }, ms);
        if (signal?.aborted) aborted();
        else signal?.addEventListener('abort', aborted, { once: true });
      });
    Object.assign(globalThis, globals);
    Object.assign(timers, globals);
    Object.assign(timersPromises, {
      setTimeout: wait,
      // It comes even if the program is killed meanwhile: others may wait behind it (`ownTurn`).
      setImmediate: (value?: unknown) =>
        new Promise((resolve) => outsidePrograms(() => soon(() => resolve(value)))),
    });
    AbortSignal.timeout = (ms) => {
      const aborter = new AbortController();
      set(
        () => aborter.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
        ms,
      );
      return aborter.signal;
    };
    syncBuiltinESMExports();
  }
}

/**
 * Dates the answers of HTTP servers by this clock, in milliseconds since the epoch. Node keeps a clock of its own for
 * them, which nothing replaces.
 */
export function dateAnswers(now: () => number): void {
  const writeHead = Reflect.get(ServerResponse.prototype, 'writeHead') as (
    this: ServerResponse,
    ...args: unknown[]
  ) => ServerResponse;
  Object.assign(ServerResponse.prototype, {
    writeHead(this: ServerResponse, ...args: unknown[]) {
      if (this.sendDate && !this.hasHeader('date')) this.setHeader('date', new RealDate(now()).toUTCString());
      return writeHead.apply(this, args);
    },
  });
}

const ABORTED = { name: 'AbortError', code: 'ABORT_ERR' };
const atLeastOne = (ms: number | undefined) => Math.max(1, Number(ms) || 0);

const turn = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/**
 * Resolves when all promises and ticks that could go on have, and what the system still does for the process (a file
 * that is read, for example): nothing but timers is left. That takes no virtual time.
 */
async function settled(): Promise<void> {
  await turn();
  while (process.getActiveResourcesInfo().some((name) => WORK_OF_THE_SYSTEM.test(name))) await turn();
}
const WORK_OF_THE_SYSTEM = /FSReq|Zlib|ZLIB|GetAddrInfo|RandomBytes|Worker/;
