import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

import { neverSent } from '../../client/index.ts';

/** A failed call to chat, classed by what to do next. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly next: 'retry' | 'give-up';
  /** True when the call surely had no effect. */
  readonly certain: boolean;
  /** What was called; undefined where it was none of chat's methods that failed. */
  readonly method: string | undefined;
  /** Chat's own error string, where it gave one. */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: {
      next: 'retry' | 'give-up';
      certain: boolean;
      method?: string;
      code?: string;
      retryAfterMs?: number;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.next = options.next;
    this.certain = options.certain;
    this.method = options.method;
    this.code = options.code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Errors after which chat says itself that some of the work may have been done (reference pages of the methods). */
const UNCERTAIN = new Set(['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable']);
/** Errors of the whole app or workspace: somebody has to mend it, then everything goes on; nothing is parked meanwhile. */
const APP_TROUBLE = new Set([
  'account_inactive',
  'invalid_auth',
  'missing_scope',
  'not_authed',
  'org_login_required',
  'ratelimited',
  'team_access_not_granted',
  'team_added_to_org',
  'token_expired',
  'token_revoked',
]);
/** A token that only a person can put right. */
export const REFUSED_TOKEN = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

/** How long to wait before asking again when the whole app is refused. */
const APP_TROUBLE_MS = 30_000;
/** What chat's own error strings look like. In place of any other answer the client puts its whole text there. */
const CODE = /^\w{1,80}$/;

/** Classes whatever the Web API client threw; anything it did not throw is given back unchanged. */
export function chatErrorOf(method: string, error: unknown): unknown {
  if (error instanceof WebAPIRateLimitedError)
    return new ChatError(`${method} was rate limited`, {
      next: 'retry',
      certain: true,
      method,
      code: 'ratelimited',
      retryAfterMs: error.retryAfter * 1000,
      cause: error,
    });
  if (error instanceof WebAPIPlatformError) {
    const code = error.data.error;
    // A web page of something in between: chat itself has said nothing.
    if (!CODE.test(code))
      return new ChatError(`${method} was answered with something else than an answer`, {
        next: 'retry',
        certain: false,
        cause: error,
      });
    if (UNCERTAIN.has(code))
      return new ChatError(`${method}: ${code}`, { next: 'retry', certain: false, code, cause: error });
    if (APP_TROUBLE.has(code))
      return new ChatError(`${method}: ${code}`, {
        next: 'retry',
        certain: true,
        method,
        code,
        retryAfterMs: APP_TROUBLE_MS,
        cause: error,
      });
    return new ChatError(`${method}: ${code}`, {
      ...{ next: 'give-up', certain: true, method, code },
      cause: error,
    });
  }
  if (error instanceof WebAPIHTTPError)
    return new ChatError(`${method} was answered HTTP ${error.statusCode}`, {
      next: 'retry',
      certain: error.statusCode < 500,
      cause: error,
    });
  if (error instanceof WebAPIRequestError)
    return new ChatError(`${method} got no answer`, {
      next: 'retry',
      certain: neverSent(error.original),
      cause: error,
    });
  // The answer began and broke off: the client hands on what fetch throws while the body is read.
  if (error instanceof TypeError && error.cause instanceof Error)
    return new ChatError(`${method} got half an answer`, { next: 'retry', certain: false, cause: error });
  return error;
}
