import type { Tx } from '../database/open.ts';
import type { Completed } from './complete-job.ts';
import type { Ending } from './statements.ts';
import type { JobTables } from './tables.ts';

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export interface NewJob {
  queue: string;
  /** Jobs with the same key in one queue run one at a time, in the order in which they were committed. */
  orderingKey: string;
  payload: JsonValue;
  /**
   * At most one waiting or running job of a queue has this value; another one is not inserted. A running job counts: if
   * you use this to coalesce, check in the transaction of `complete` whether something changed meanwhile.
   */
  dedupeKey?: string;
  /** Milliseconds until it may run; later jobs with the same key wait with it. Default 0. */
  delayMs?: number;
}

export interface Job<Payload> {
  readonly id: number;
  readonly queue: string;
  readonly orderingKey: string;
  readonly payload: Payload;
  /** Starts at 1; larger if it failed before or its worker died. */
  readonly attempt: number;
  /** False if a worker has had it before, even if that attempt was not counted: its effects may exist. */
  readonly firstAttempt: boolean;
  /** It was claimed with the end of another one of its ordering key: several came together. */
  readonly followsAnother: boolean;
  readonly enqueuedAt: Date;
  /** What the statement that claimed it read for its handler; undefined if it was fetched. */
  readonly prefetched: unknown;
  /**
   * Marks the job done inside the handler's own transaction, so that its effects and its end commit together. May be
   * called again when that transaction is retried. Throws LeaseLost if another worker has the job.
   */
  complete<Tables extends JobTables>(tx: Tx<Tables>): Promise<void>;
  /**
   * Like `complete`, but cheaper: the next job is promoted in that transaction. Must be its last statement, because it
   * may lock the ordering key: waiting for other keys or rows after it could deadlock.
   */
  completeLast<Tables extends JobTables>(tx: Tx<Tables>): Promise<void>;
  /**
   * Like `completeLast`, by one statement that is a transaction of its own and ends with the function `end_job` or
   * `end_jobs`.
   * @returns false if the statement did nothing and left the job.
   */
  completeWith(statement: (ending: Ending) => Promise<Completed | undefined>): Promise<boolean>;
  /** Aborted when the lease is lost or the grace period at stop is over: anything done after that may be done twice. */
  readonly signal: AbortSignal;
}
