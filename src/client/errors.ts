import type { ConflictDetail, ErrorDetail, Issue } from '../contract/index.ts';

/** What the caller should do about a failed call: `retry` temporary failures, `give-up` on permanent ones. */
export type Next = 'retry' | 'give-up';

export interface FailureOptions {
  next: Next;
  certain: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Any failed call to the service. Its message never contains a key or message text. */
export abstract class ServiceError extends Error {
  readonly next: Next;
  /** True if the call certainly had no effect; false if it may have had one and the response was lost. */
  readonly certain: boolean;
  /** The wait that the service asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { next, certain, retryAfterMs, cause }: FailureOptions) {
    super(message, { cause });
    this.name = new.target.name;
    this.next = next;
    this.certain = certain;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A rejected key needs an administrator; retrying more often than this only fills the log. */
const REFUSED_KEY_MS = 30_000;

/** The service answered with an error status. A 4xx certainly had no effect; a 5xx may have had one. */
export class AnsweredError extends ServiceError {
  readonly status: number;
  /** The API's error code; null if another implementation sent none. */
  readonly code: string | null;
  readonly issues: readonly Issue[];
  /** The change that a refused write did not expect, if the service says so. */
  readonly conflict: ConflictDetail | null;
  readonly requestId: string | null;
  /** The service's own error message. */
  readonly detail: string | null;

  constructor(what: string, status: number, detail: ErrorDetail, retryAfterMs: number | undefined) {
    const refusedKey = status === 401 || status === 403;
    const passing = status >= 500 || status === 408 || status === 425 || status === 429 || refusedKey;
    super(`${what} returned ${status}${detail.code ? ` ${detail.code}` : ''}`, {
      next: passing ? 'retry' : 'give-up',
      certain: status < 500,
      retryAfterMs: refusedKey ? REFUSED_KEY_MS : retryAfterMs,
    });
    this.status = status;
    this.code = detail.code;
    this.issues = detail.issues;
    this.conflict = detail.conflict;
    this.requestId = detail.requestId;
    this.detail = detail.message;
  }

  /** Whether the operation or the record is missing: another implementation answers 404 or 405 to an Ext operation. */
  get missing(): boolean {
    return this.status === 404 || this.status === 405;
  }
}

/** No response: connection refused, reset or timed out. `certain` if the request was certainly never sent. */
export class UnreachableError extends ServiceError {
  constructor(what: string, certain: boolean, cause: unknown) {
    super(`${what} got no response${certain ? ': the service cannot be reached' : ''}`, {
      next: 'retry',
      certain,
      cause,
    });
  }
}

/** The service answered with success, in a shape that even the tolerant schema does not accept. */
export class UnreadableError extends ServiceError {
  constructor(what: string, cause: unknown) {
    super(`${what} returned a response that could not be parsed`, { next: 'retry', certain: false, cause });
  }
}
