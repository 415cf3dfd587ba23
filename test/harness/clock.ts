import type { Clock } from '../../src/platform/clock.ts';

/** The machine's time, and what a test lets pass on top of it. */
export class TestClock implements Clock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
  }
}
