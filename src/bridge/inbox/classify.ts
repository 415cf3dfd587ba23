import { z } from 'zod';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import { GiveUp, RetryLater } from '../../platform/engine/index.ts';
import type { BridgeMetrics } from '../metrics.ts';
import { ChatError } from '../slack/errors.ts';

/**
 * How often work is tried at which the service or Slack itself fails before it may be given up: some minutes. Whether
 * it is depends on whether they take other work meanwhile.
 */
export const GIVE_UP_TRIES = 12;

/** How often an internal error is retried: it may be chance once, but not ten times. */
const OWN_ERRORS = 8;

/**
 * Classifies an error by what happens next. A temporary one keeps the work first in its lane; a permanent
 * one makes it a dead letter with its reason. An internal error (a bug, unexpected input) becomes a dead letter after
 * some attempts, so that it does not block everything behind it.
 */
export function classify(error: unknown, attempt: number): RetryLater | GiveUp | undefined {
  const cause = originalOf(error);
  if (cause instanceof RetryLater || cause instanceof GiveUp) return cause;
  if (cause instanceof ServiceError || cause instanceof ChatError) {
    if (cause.next === 'give-up') return new GiveUp(cause.message, { cause, code: codeOf(cause) });
    const { retryAfterMs: afterMs } = cause;
    return new RetryLater(cause.message, { cause, ...(afterMs === undefined ? {} : { afterMs }) });
  }
  if (isOwn(cause) && attempt >= OWN_ERRORS)
    return new GiveUp(`an error of deskbridge itself: ${cause.message}`, { cause });
  return undefined;
}

/** Slack's error code or the service's status, as `failureReason` reads it. */
export function codeOf(error: ServiceError | ChatError): string | undefined {
  if (error instanceof AnsweredError) return String(error.status);
  return error instanceof ChatError ? error.code : undefined;
}

/** Counts what is tried again; waiting for a rate limit is no retry. */
export function countRetry(
  { retries }: Pick<BridgeMetrics, 'retries'>,
  ofClass: string,
  { cause, countsAttempt }: RetryLater,
): void {
  if (countsAttempt) retries.inc({ queue: ofClass, reason: reasonOf(cause) });
}

function reasonOf(cause: unknown): 'chat_rate_limit' | 'chat' | 'service' | 'other' {
  if (cause instanceof ChatError) return cause.code === 'ratelimited' ? 'chat_rate_limit' : 'chat';
  return cause instanceof ServiceError ? 'service' : 'other';
}

function isOwn(error: unknown): error is Error {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof z.ZodError
  );
}

/** Bolt wraps the errors of listeners: those of several together. */
export function originalOf(error: unknown): unknown {
  if (error instanceof Error && 'originals' in error && Array.isArray(error.originals))
    return originalOf(error.originals[0]);
  if (error instanceof Error && 'original' in error && error.original instanceof Error)
    return originalOf(error.original);
  return error;
}
