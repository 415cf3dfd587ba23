import { LRUCache } from 'lru-cache';

import type { Clock } from './clock.ts';

interface Entry<Value> {
  value: Value;
}

/**
 * Values that are read from elsewhere and used for a while. Several requests for one key share a read; a read that
 * fails is not kept. A full cache drops the entry that was used longest ago.
 */
export class Cache<Value> {
  readonly #entries: LRUCache<string, Entry<Value>, () => Promise<Value>>;

  /** lru-cache takes a time of 0 for no limit. */
  readonly #keepsNothing: boolean;

  /** @param ttl how long a value is used (0: not at all); without it, until it is dropped. */
  constructor(max: number, ttl?: { clock: Clock; ms: number }) {
    this.#keepsNothing = ttl?.ms === 0;
    this.#entries = new LRUCache<string, Entry<Value>, () => Promise<Value>>({
      max,
      // A read that ends after `clear` still answers who waits for it.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: read, options }) => {
        const began = ttl?.clock.now().getTime() ?? 0;
        const value = await read();
        // Its time counts from the start of the read: what was changed since may not be in it. 0 is no limit.
        if (ttl) options.ttl = Math.max(1, ttl.ms - (ttl.clock.now().getTime() - began));
        return { value };
      },
      ...(ttl && { ttl: ttl.ms, ttlResolution: 0, perf: { now: () => ttl.clock.now().getTime() } }),
    });
  }

  /** Returns the value of a key, read now if there is none. */
  async get(key: string, read: () => Promise<Value>): Promise<Value> {
    if (this.#keepsNothing) return read();
    const entry = await this.#entries.forceFetch(key, { context: read });
    return entry.value;
  }

  /** Returns the value of a key if there is one. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  clear(): void {
    this.#entries.clear();
  }
}
