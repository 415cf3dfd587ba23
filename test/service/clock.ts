import type { Clock } from '../../src/platform/clock.ts';

/** A clock that stands still until the test moves it. */
export class MovableClock implements Clock {
  #now = new Date('2026-11-20T09:30:00.000Z');

  now(): Date {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}
