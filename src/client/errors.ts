import type { ErrorDetail, Issue } from '../contract/index.ts';

/**
 * What a caller does about a failed call: `retry` what may pass, `give-up` on what never will (as it was asked).
 */
export type Next = 'retry' | 'give-up';

export interface FailureOptions {
  next: Next;
  certain: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Any failed call to the service. Its message never holds a key or a person's words. */
export abstract class ServiceError extends Error {
  readonly next: Next;
  /** True when the call surely had no effect; false when it may have had one and the answer was lost. */
  readonly certain: boolean;
  /** How long the service asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { next, certain, retryAfterMs, cause }: FailureOptions) {
    super(message, { cause });
    this.name = new.target.name;
    this.next = next;
    this.certain = certain;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A key that is refused is mended by a person; asking more often than this only fills the log. */
const REFUSED_KEY_MS = 30_000;

/** The service answered with an error status. Any 4xx surely had no effect; a 5xx may have had one. */
export class AnsweredError extends ServiceError {
  readonly status: number;
  /** The contract's code; null where another implementation sent none. */
  readonly code: string | null;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;
  /** The service's own sentence for people. */
  readonly detail: string | null;

  constructor(what: string, status: number, detail: ErrorDetail, retryAfterMs: number | undefined) {
    const refusedKey = status === 401 || status === 403;
    const passing = status >= 500 || status === 408 || status === 425 || status === 429 || refusedKey;
    super(`${what} was answered ${status}${detail.code ? ` ${detail.code}` : ''}`, {
      next: passing ? 'retry' : 'give-up',
      certain: status < 500,
      retryAfterMs: refusedKey ? REFUSED_KEY_MS : retryAfterMs,
    });
    this.status = status;
    this.code = detail.code;
    this.issues = detail.issues;
    this.requestId = detail.requestId;
    this.detail = detail.message;
  }

  /** The operation itself is missing, or the record is: another implementation answers 404 or 405 to an Ext operation. */
  get missing(): boolean {
    return this.status === 404 || this.status === 405;
  }
}

/** No answer came: refused, reset, timed out. `certain` when the request was surely never sent. */
export class UnreachableError extends ServiceError {
  constructor(what: string, certain: boolean, cause: unknown) {
    super(`${what} got no answer${certain ? ': the service cannot be reached' : ''}`, {
      next: 'retry',
      certain,
      cause,
    });
  }
}

/** The service answered with success, in a shape that the contract does not know even leniently. */
export class UnreadableError extends ServiceError {
  constructor(what: string, cause: unknown) {
    super(`${what} was answered in a shape that could not be read`, { next: 'retry', certain: false, cause });
  }
}
