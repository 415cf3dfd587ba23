import { LRUCache } from 'lru-cache';

/** Endpoints whose last outcome is remembered; the one that was called longest ago is forgotten. */
const REMEMBERED = 2_000;

/**
 * Attempts in flight in a process at endpoints that do not answer as they should. An attempt at a dead endpoint takes
 * its whole time limit, so without a share of their own they would take all workers.
 */
const SHARES = {
  /** Nothing is known of them yet. */
  fresh: { together: 12, each: 4 },
  failing: { together: 4, each: 1 },
} as const;

type Class = keyof typeof SHARES | 'healthy';

/** An attempt that may be made now. */
export interface Place {
  /** Ends it; `answered`: the endpoint accepted or refused it quickly; undefined if that is not known. */
  leave(answered: boolean | undefined): void;
}

/**
 * Shares the workers of a queue among endpoints, which are known by the host and port of their URL. One whose last
 * attempt was answered quickly may use any worker; the others have few attempts in flight, each and together.
 */
export class EndpointShares {
  readonly #outcomes = new LRUCache<string, { answered: boolean }>({ max: REMEMBERED });
  readonly #running = { fresh: new Map<string, number>(), failing: new Map<string, number>() };

  /** Returns the place of an attempt; undefined if it has to wait. */
  enter(url: string): Place | undefined {
    const { host } = new URL(url);
    const kind = this.#classOf(host);
    if (kind === 'healthy') return this.#place(host, () => undefined);
    const running = this.#running[kind];
    const here = running.get(host) ?? 0;
    const together = [...running.values()].reduce((sum, each) => sum + each, 0);
    if (here >= SHARES[kind].each || together >= SHARES[kind].together) return undefined;
    running.set(host, here + 1);
    return this.#place(host, () => {
      const left = (running.get(host) ?? 0) - 1;
      if (left > 0) running.set(host, left);
      else running.delete(host);
    });
  }

  #classOf(host: string): Class {
    const last = this.#outcomes.get(host);
    if (!last) return 'fresh';
    return last.answered ? 'healthy' : 'failing';
  }

  #place(host: string, free: () => void): Place {
    return {
      leave: (answered) => {
        free();
        if (answered !== undefined) this.#outcomes.set(host, { answered });
      },
    };
  }
}
