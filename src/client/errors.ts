import { type ConflictDetail, type ErrorDetail, type Issue, readErrorBody } from '../contract/index.ts';

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
  /** What was called, such as `POST /tickets`. */
  readonly operation: string;
  readonly next: Next;
  /** True if the call certainly had no effect; false if it may have had one and the response was lost. */
  readonly certain: boolean;
  /** The wait that the service asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(operation: string, message: string, { next, certain, retryAfterMs, cause }: FailureOptions) {
    super(message, { cause });
    this.name = new.target.name;
    this.operation = operation;
    this.next = next;
    this.certain = certain;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether this call alone may fail so, and for ever: it does not say that the service is away. */
  get mayLast(): boolean {
    return false;
  }
}

/** A rejected key needs an administrator; retrying more often than this only fills the log. */
const REFUSED_KEY_MS = 30_000;
/** The key is rejected, or a proxy's access list: until somebody mends it. */
const isKeyRefused = (status: number) => status === 401 || status === 403 || status === 407;
/** Statuses that say nothing about the request, whoever sends them. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 425 || status === 429;

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

  constructor(operation: string, status: number, detail: ErrorDetail, retryAfterMs: number | undefined) {
    const refusedKey = isKeyRefused(status);
    super(operation, `${operation} returned ${status}${detail.code ? ` ${detail.code}` : ''}`, {
      next: isPassing(status) || refusedKey ? 'retry' : 'give-up',
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

  /** The service itself fails at it; 502 to 504 come from a proxy, or say that it is away. */
  override get mayLast(): boolean {
    return this.status === 500;
  }

  /** Whether the operation or the record is missing: another implementation answers 404 or 405 to an Ext operation. */
  get missing(): boolean {
    return this.status === 404 || this.status === 405;
  }
}

/**
 * Something in front of the service answered in its place, such as a proxy while the service restarts: the service has
 * said nothing, of the record or of anything else, so the call is repeated until it does.
 */
export class ProxyError extends ServiceError {
  readonly status: number;

  constructor(operation: string, status: number, retryAfterMs: number | undefined) {
    super(
      operation,
      `${operation} was answered ${status} by something else than the service: a proxy in front of it?`,
      {
        next: 'retry',
        certain: true,
        retryAfterMs: isKeyRefused(status) ? REFUSED_KEY_MS : retryAfterMs,
      },
    );
    this.status = status;
  }

  /** Whether a service that lacks the operation may answer so, too. */
  get mayMeanMissing(): boolean {
    return this.status === 404 || this.status === 405;
  }

  /** Also a service that lacks the record may. */
  override get mayLast(): boolean {
    return this.mayMeanMissing;
  }
}

/** Statuses by which a request is refused for what it is: too large, malformed, of a type that is not taken. */
const REFUSES_REQUEST: readonly number[] = [400, 411, 413, 414, 415, 416, 417, 422, 431];

/**
 * Returns the error of an answer that is no success. The service's own errors have a JSON object as their body; a body
 * of any other kind, a page or nothing, comes from a proxy, and what is next depends on its status:
 *
 * - 3xx, with any body: the service never redirects. Retry.
 * - 404, 405, 409, 410 and others: there is no way to the service now, and nothing is known of the record. Retry.
 * - 401, 403, 407: the proxy lets nobody through, until somebody mends it. Retry, as seldom as with a rejected key.
 * - 400, 413 and others of `REFUSES_REQUEST`: the same request would be refused again. Give up.
 * - 408, 425, 429, 5xx: as if the service had sent it. Retry.
 */
export function answeredError(
  what: string,
  status: number,
  text: string,
  retryAfterMs?: number,
): AnsweredError | ProxyError {
  const body = parseJson(text);
  const isEnvelope = typeof body === 'object' && body !== null && !Array.isArray(body);
  const isOfService = isEnvelope || isPassing(status) || REFUSES_REQUEST.includes(status);
  return status < 400 || !isOfService
    ? new ProxyError(what, status, retryAfterMs)
    : new AnsweredError(what, status, readErrorBody(body), retryAfterMs);
}

/** Returns the value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No response: connection refused, reset or timed out. `certain` if the request was certainly never sent. */
export class UnreachableError extends ServiceError {
  constructor(operation: string, certain: boolean, cause: unknown) {
    super(operation, `${operation} got no response${certain ? ': the service cannot be reached' : ''}`, {
      next: 'retry',
      certain,
      cause,
    });
  }
}

/** The service answered with success, in a shape that even the tolerant schema does not accept. */
export class UnreadableError extends ServiceError {
  constructor(operation: string, cause: unknown) {
    super(operation, `${operation} returned a response that could not be parsed`, {
      next: 'retry',
      certain: false,
      cause,
    });
  }

  override get mayLast(): boolean {
    return true;
  }
}
