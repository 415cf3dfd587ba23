/** Thrown by a handler: not now. The job keeps its place at the head of its lane, and those behind it wait. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  /** Milliseconds; absent: as after any other error. */
  readonly afterMs: number | undefined;
  /** `false` where waiting says nothing about the job itself (a rate limit): the next try bears the same number. */
  readonly countAttempt: boolean;

  constructor(reason: string, options: { afterMs?: number; cause?: unknown; countAttempt?: boolean } = {}) {
    super(reason, { cause: options.cause });
    this.afterMs = options.afterMs;
    this.countAttempt = options.countAttempt ?? true;
  }
}

/** Thrown by a handler: this can certainly never work. The job is kept aside with the reason, for a person to see. */
export class Park extends Error {
  override readonly name = 'Park';

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, { cause: options.cause });
  }
}

/** This worker's claim on the job is over: another worker has it, or had it and is done. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(id: number) {
    super(`the lease of job ${id} is lost: another worker has it`);
  }
}
