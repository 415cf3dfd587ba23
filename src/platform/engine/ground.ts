import type { RawBuilder } from 'kysely';

import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';
import type { Timers } from '../timers.ts';
import type { GiveUp, RetryLater } from './errors.ts';
import type { Claim } from './lanes.ts';
import type { StoredWork } from './pieces.ts';
import type { EngineTables } from './tables.ts';
import type { Handler, WorkKind } from './work.ts';

/** A lane that this process may work from now on, and its first piece. */
export interface Claimed {
  claim: Claim;
  first: StoredWork;
}

/** A slot of this process that is kept for a lane, until it is claimed or not. */
export interface KeptSlot {
  /** The claim is committed: works the lane. */
  start(claimed: Claimed): void;
  giveBack(): void;
}

/** The slots of this process, for a transaction that makes lanes due. */
export interface Slots {
  /** Undefined if no slot of the class is free for this lane, since others are due as well. */
  keep(lane: { key: string; class: string }): KeptSlot | undefined;
  /** There is work in lanes of these classes that nobody has claimed. */
  wake(classes: Iterable<string>): void;
}

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
  slots: Slots;
  kinds: ReadonlyMap<string, { kind: WorkKind<unknown>; handler: Handler<unknown, Tables> }>;
}
