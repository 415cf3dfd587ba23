import type { Clock } from '../platform/clock.ts';

/** The longest wait of a Node timer; a longer one is armed again afterwards. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock with alarms that follow it when it is moved. */
export interface AlarmClock extends Clock {
  /** Calls `ring` once at `at`, or now if that has passed; returns a function that cancels it. */
  alarm(at: Date, ring: () => void): () => void;
}

interface Alarm {
  at: number;
  ring: () => void;
  timer?: NodeJS.Timeout;
}

/**
 * The sandbox's own time: the machine's, until it is advanced, held or made to run faster. Everything in
 * the workspace that waits (retries, answers that are late, addresses that expire) waits by it.
 */
export class SandboxClock implements AlarmClock {
  readonly #base: Clock;
  readonly #alarms = new Set<Alarm>();
  /** What the sandbox's time was (milliseconds) when the machine's was `#since`, and how fast it has run from there. */
  #from: number;
  #since: number;
  #speed = 1;

  constructor(base: Clock) {
    this.#base = base;
    this.#since = base.now().getTime();
    this.#from = this.#since;
  }

  now(): Date {
    return new Date(this.#now());
  }

  get speed(): number {
    return this.#speed;
  }

  /** Milliseconds by which it is ahead of the machine's clock. */
  get ahead(): number {
    const machine = this.#base.now().getTime();
    return this.#at(machine) - machine;
  }

  /**
   * Moves it on in one leap; what has become due by then happens before this returns, at the new time. (What follows
   * from it starts there: an event that nobody acknowledged is not repeated three times within one leap.)
   */
  advance(milliseconds: number): void {
    const machine = this.#base.now().getTime();
    this.#set(machine, this.#at(machine) + milliseconds, this.#speed);
  }

  /** How many seconds pass in one of the machine's; 0 holds it still. */
  run(speed: number): void {
    const machine = this.#base.now().getTime();
    this.#set(machine, this.#at(machine), speed);
  }

  /**
   * The machine's time again. What was made meanwhile may lie in the future; timestamps still only grow. Alarms ring
   * after as long as they would have without this.
   */
  reset(): void {
    const machine = this.#base.now().getTime();
    const ahead = this.#at(machine) - machine;
    for (const alarm of this.#alarms) alarm.at -= ahead;
    this.#set(machine, machine, 1);
  }

  alarm(at: Date, ring: () => void): () => void {
    const alarm: Alarm = { at: at.getTime(), ring };
    this.#alarms.add(alarm);
    this.#arm(alarm);
    return () => this.#drop(alarm);
  }

  /** Cancels all alarms. */
  stop(): void {
    for (const alarm of Array.from(this.#alarms)) this.#drop(alarm);
  }

  #now(): number {
    return this.#at(this.#base.now().getTime());
  }

  /** What its time is when the machine's is `machine`. One look at the machine's clock for each change: it goes on. */
  #at(machine: number): number {
    return Math.floor(this.#from + (machine - this.#since) * this.#speed);
  }

  #set(machine: number, now: number, speed: number): void {
    this.#from = now;
    this.#since = machine;
    this.#speed = speed;
    for (const alarm of Array.from(this.#alarms).sort((a, b) => a.at - b.at)) {
      if (alarm.at <= this.#now()) this.#ring(alarm);
      else this.#arm(alarm);
    }
  }

  #arm(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    delete alarm.timer;
    if (this.#speed === 0 || !this.#alarms.has(alarm)) return;
    const wait = Math.max(0, Math.ceil((alarm.at - this.#now()) / this.#speed));
    alarm.timer = setTimeout(
      () => {
        // The base may stand still (in tests) or have been set back: then it is not time yet.
        if (alarm.at <= this.#now()) this.#ring(alarm);
        else this.#arm(alarm);
      },
      Math.min(wait, LONGEST_TIMER_MS),
    );
    alarm.timer.unref();
  }

  #ring(alarm: Alarm): void {
    if (!this.#alarms.has(alarm)) return;
    this.#drop(alarm);
    alarm.ring();
  }

  #drop(alarm: Alarm): void {
    clearTimeout(alarm.timer);
    this.#alarms.delete(alarm);
  }
}
