/** Thrown by a handler to retry later. The job stays at the head of its ordering key, and the jobs behind it wait. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  /** Milliseconds; if absent, the usual backoff applies. */
  readonly afterMs: number | undefined;
  /** `false` if waiting says nothing about the job itself (a rate limit): the next attempt has the same number. */
  readonly countAttempt: boolean;

  constructor(reason: string, options: { afterMs?: number; cause?: unknown; countAttempt?: boolean } = {}) {
    super(reason, { cause: options.cause });
    this.afterMs = options.afterMs;
    this.countAttempt = options.countAttempt ?? true;
  }
}

/**
 * Thrown by a handler if the job can never succeed. The job becomes a dead letter with the reason, for an operator to
 * see.
 */
export class DeadLetter extends Error {
  override readonly name = 'DeadLetter';
  /** What kind of error it is, for programs; stored with the job. */
  readonly code: string | undefined;

  constructor(reason: string, options: { cause?: unknown; code?: string | undefined } = {}) {
    super(reason, { cause: options.cause });
    this.code = options.code;
  }
}

/** This worker's claim on the job is over: another worker has or had the job. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(id: number) {
    super(`the lease of job ${id} is lost: another worker has it`);
  }
}
