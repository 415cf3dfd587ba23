import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

import { neverSent } from '../../client/index.ts';
import { isRequired } from './methods.ts';

/** A failed call to Slack, classified by what to do next. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly next: 'retry' | 'give-up';
  /** True if the call certainly had no effect. */
  readonly certain: boolean;
  /** The method called; undefined if the failure is not of a Slack method. */
  readonly method: string | undefined;
  /** Slack's own error string, if any. */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  /**
   * How Slack said that it does not offer the method (`HTTP 404`, `unknown_method`, `missing_scope`); else undefined.
   */
  readonly notOffered: string | undefined;

  constructor(
    message: string,
    options: {
      next: 'retry' | 'give-up';
      certain: boolean;
      method?: string;
      code?: string;
      retryAfterMs?: number;
      notOffered?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.next = options.next;
    this.certain = options.certain;
    this.method = options.method;
    this.code = options.code;
    this.retryAfterMs = options.retryAfterMs;
    this.notOffered = options.notOffered;
  }
}

/** Errors after which some of the work may have been done, according to the methods' reference pages. */
const UNCERTAIN = new Set(['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable']);

/** Returns whether Slack answered that it failed at a call itself: it may do so at this one call for ever. */
export function isSlackFailing({ code }: Pick<ChatError, 'code'>): boolean {
  return code !== undefined && UNCERTAIN.has(code);
}

/**
 * Returns whether a method was not answered by Slack itself, but with a status of HTTP, half an answer, a web page or
 * nothing: it may be of this method alone, or an outage.
 */
export function isUnanswered({ next, method, code }: Pick<ChatError, 'next' | 'method' | 'code'>): boolean {
  return next === 'retry' && method !== undefined && code === undefined;
}

/**
 * Errors of the whole app or workspace: an admin has to fix it, then everything continues; nothing becomes a dead
 * letter meanwhile.
 */
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
/** Errors of a token that only an admin can fix. */
export const REFUSED_TOKEN = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

/**
 * Errors of a method that the server does not know, or not any more
 * (https://docs.slack.dev/reference/methods/auth.test#errors).
 */
const UNKNOWN_METHOD = new Set(['unknown_method', 'method_deprecated', 'deprecated_endpoint']);
/** How a server that is not Slack's answers for a method that it does not know. */
const UNKNOWN_STATUS: readonly number[] = [404, 405, 501];

/** Returns how an answer says that the method is not offered to this app; undefined if it does not. */
function notOfferedBy(error: unknown): string | undefined {
  if (error instanceof WebAPIHTTPError)
    return UNKNOWN_STATUS.includes(error.statusCode) ? `HTTP ${error.statusCode}` : undefined;
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  const isNotOffered = typeof code === 'string' && (UNKNOWN_METHOD.has(code) || code === 'missing_scope');
  return isNotOffered ? code : undefined;
}

/** Wait before a retry when the whole app is rejected. */
const APP_TROUBLE_MS = 30_000;
/** The form of Slack's error strings. For any other response the client puts its whole text there. */
const CODE = /^\w{1,80}$/;

/**
 * Classifies an error of the Web API client; any other error is returned unchanged. A method that the server does not
 * know is given up, or waited for if it is required: what never passes by itself may still be put right by an admin.
 */
export function chatErrorOf(method: string, error: unknown): unknown {
  const notOffered = notOfferedBy(error);
  const retry = (what: string, certain: boolean, more: { code?: string; retryAfterMs?: number } = {}) =>
    new ChatError(`${method}${what}`, { next: 'retry', certain, method, notOffered, cause: error, ...more });
  const giveUp = (what: string, code: string) =>
    new ChatError(`${method}${what}`, {
      next: 'give-up',
      certain: true,
      method,
      code,
      notOffered,
      cause: error,
    });
  if (error instanceof WebAPIRateLimitedError)
    return retry(' was rate limited', true, { code: 'ratelimited', retryAfterMs: error.retryAfter * 1000 });
  if (error instanceof WebAPIHTTPError && notOffered !== undefined && !isRequired(method))
    return giveUp(` was answered ${notOffered}`, 'unknown_method');
  if (error instanceof WebAPIHTTPError)
    return retry(` was answered HTTP ${error.statusCode}`, error.statusCode < 500);
  if (error instanceof WebAPIRequestError) return retry(' got no answer', neverSent(error.original));
  // The response broke off: the client passes on the error of reading the body.
  if (error instanceof TypeError && error.cause instanceof Error) return retry(' got half an answer', false);
  if (!(error instanceof WebAPIPlatformError)) return error;
  const code: unknown = error.data.error;
  // A web page of a proxy: Slack itself has not answered.
  if (typeof code !== 'string' || !CODE.test(code))
    return new ChatError(`${method} was answered with something else than an answer`, {
      next: 'retry',
      certain: false,
      method,
      cause: new UnreadableAnswer(undefined, { cause: error }),
    });
  if (UNCERTAIN.has(code)) return retry(`: ${code}`, false, { code });
  if (APP_TROUBLE.has(code)) return retry(`: ${code}`, true, { code, retryAfterMs: APP_TROUBLE_MS });
  if (UNKNOWN_METHOD.has(code) && isRequired(method))
    return retry(`: ${code}`, true, { code, retryAfterMs: APP_TROUBLE_MS });
  return giveUp(`: ${code}`, code);
}

/** An answer that Slack does not give, such as the page of a proxy. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/** Returns why Slack could not be reached, in a few words: a code of the network or of TLS, or the status of HTTP. */
export function unreachedBecause(error: unknown): string {
  for (
    let at: unknown = error;
    at instanceof Error;
    at = at.cause ?? (at as { original?: unknown }).original
  ) {
    if (at instanceof UnreadableAnswer) return 'what answers is not Slack';
    if (at instanceof WebAPIHTTPError) return `HTTP ${at.statusCode}`;
    if (at instanceof WebAPIPlatformError && CODE.test(at.data.error)) return at.data.error;
    const code = 'code' in at ? at.code : undefined;
    // The codes of the client itself are in lower case.
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    if (at instanceof ChatError && at.code !== undefined) return at.code;
  }
  return 'no answer';
}

/** Returns whether Slack rejected a call for good, or does not offer it to this app: who can do without it goes on. */
export function isRejected(error: unknown): error is ChatError {
  return error instanceof ChatError && (error.next === 'give-up' || error.code === 'missing_scope');
}

/** For `catch`: the value instead of a call that Slack rejected for good; any other error is thrown again. */
export function ifRejected<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof ChatError && error.next === 'give-up') return value;
    throw error;
  };
}
