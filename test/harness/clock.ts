import type { Clock } from '../../src/platform/clock.ts';

/** The machine's clock, moved forward by the test. */
export class TestClock implements Clock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
  }
}
