import type { RawBuilder } from 'kysely';

import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import type { Timers } from '../timers.ts';
import type { GiveUp, RetryLater } from './errors.ts';
import type { EngineTables } from './tables.ts';
import type { Handler, WorkKind } from './work.ts';

/** What all parts of one engine share. */
export interface Ground<Tables extends EngineTables> {
  database: Database<Tables>;
  log: Log;
  timers: Timers;
  /** 0 ≤ x < 1; spreads retries. */
  random: () => number;
  /** This process, in its leases; no two processes have the same. */
  process: string;
  /** The time in statements. */
  now: RawBuilder<Date>;
  /** On which processes notify each other of work. */
  channel: string;
  leaseMs: number;
  /** What follows from an error of a handler; anything else than these two is tried again as `RetryLater`. */
  classify: (error: unknown, attempt: number) => RetryLater | GiveUp | undefined;
  onRetry: (ofClass: string, reason: RetryLater) => void;
  kinds: ReadonlyMap<string, { kind: WorkKind<unknown>; handler: Handler<unknown, Tables> }>;
}
