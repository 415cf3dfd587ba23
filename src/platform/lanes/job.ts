import type { Tx } from '../database/open.ts';
import type { LanesTables } from './schema.ts';

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export interface NewJob {
  queue: string;
  /** Jobs of one key in one queue are worked one at a time, in the order in which they were committed. */
  key: string;
  payload: JsonValue;
  /**
   * At most one job of a queue that waits or runs bears it; another is not inserted. One that runs counts: whoever
   * uses it to coalesce must look, in the transaction of `complete`, whether something changed meanwhile.
   */
  dedupe?: string;
  /** Milliseconds until it may run; later jobs of its key wait with it. Default 0. */
  delayMs?: number;
}

export interface Job<Payload> {
  readonly id: number;
  readonly queue: string;
  readonly key: string;
  readonly payload: Payload;
  /** From 1; larger when it failed before, or its worker died. */
  readonly attempt: number;
  /** False once a worker has had it before, also where that try was not counted: its effects may be there. */
  readonly firstAttempt: boolean;
  readonly enqueuedAt: Date;
  /**
   * Marks the job done inside the handler's own transaction, so that its effects and its end commit together. May be
   * called again when that transaction is tried again. Throws LeaseLost when another worker has the job.
   */
  complete<Tables extends LanesTables>(tx: Tx<Tables>): Promise<void>;
  /**
   * As `complete`, and cheaper: the lane moves on with that transaction. Must be its last statement, because it may lock
   * the lane: what waited for other lanes or rows after it could deadlock.
   */
  completeLast<Tables extends LanesTables>(tx: Tx<Tables>): Promise<void>;
  /** Aborted when the lease is lost, or the grace at stop is over: what is done from then on may be done twice. */
  readonly signal: AbortSignal;
}
