import type { ServerResponse } from 'node:http';

import type { Caller } from '../handler.ts';

/**
 * Large answers that are made and sent at once: of one person or API key, and of a process. Each takes some ten
 * megabytes until its client has read it; the others wait for their turn.
 */
const AT_ONCE = { caller: 3, process: 12 } as const;

/** Counts the large answers of a process. */
export class LargeAnswers {
  readonly #running = new Map<string, number>();
  #all = 0;
  readonly #waiting: { who: string; begin: () => void }[] = [];

  /**
   * Returns what a request calls before it makes a large answer: it takes a place for as long as the response is open,
   * once for all calls.
   */
  of({ personId, keyId, session }: Caller, response: ServerResponse): NonNullable<Caller['takeLargeAnswer']> {
    const who = session ? `person ${personId ?? ''}` : `key ${keyId ?? ''}`;
    let taken: Promise<void> | undefined;
    return () => (taken ??= this.#take(who, response));
  }

  async #take(who: string, response: ServerResponse): Promise<void> {
    if (!this.#hasRoom(who))
      await new Promise<void>((begin) => {
        this.#waiting.push({ who, begin });
      });
    this.#count(who, 1);
    if (response.closed) this.#leave(who);
    else response.once('close', () => this.#leave(who));
  }

  #hasRoom(who: string): boolean {
    return this.#all < AT_ONCE.process && (this.#running.get(who) ?? 0) < AT_ONCE.caller;
  }

  #count(who: string, more: 1 | -1): void {
    this.#all += more;
    const running = (this.#running.get(who) ?? 0) + more;
    if (running === 0) this.#running.delete(who);
    else this.#running.set(who, running);
  }

  #leave(who: string): void {
    this.#count(who, -1);
    const at = this.#waiting.findIndex((one) => this.#hasRoom(one.who));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    next?.begin();
  }
}
