import type { Clock } from '../../src/platform/clock.ts';

/** The machine's clock, moved forward or stopped by the test. */
export class TestClock implements Clock {
  #aheadMs = 0;
  #stoppedAt: number | undefined;

  now(): Date {
    return new Date((this.#stoppedAt ?? Date.now()) + this.#aheadMs);
  }

  /** From here on time passes only by `pass`. */
  stop(): void {
    this.#stoppedAt ??= Date.now();
  }

  /** From here on time passes by itself again; what the machine's clock has moved on meanwhile passes at once. */
  resume(): void {
    this.#stoppedAt = undefined;
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
  }
}

/** The time of its making, for ever: nothing that is kept for so long is given up by its age. */
export function stoppedClock(): TestClock {
  const clock = new TestClock();
  clock.stop();
  return clock;
}
