import type { Caller } from '../handler.ts';

export interface Authenticated extends Caller {
  /** Requests a minute; null: the service's default; 0: no limit. */
  rateLimit: number | null;
}

/** A caller as it was read, and the instant (in milliseconds) from which it must be read again. */
export interface KnownCaller {
  caller: Authenticated;
  until: number;
}
