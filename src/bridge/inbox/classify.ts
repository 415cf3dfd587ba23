import { z } from 'zod';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import { type Job, LeaseLost, DeadLetter, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';

/** How often an internal error is retried: it may be chance once, but not ten times. */
const OWN_ERRORS = 8;

/**
 * Classifies an error by what happens next. A temporary one keeps the job at the head of its ordering key; a permanent
 * one makes it a dead letter with its reason. An internal error (a bug, unexpected input) becomes a dead letter after
 * some attempts, so that it does not block everything behind it.
 */
function classifyError(error: unknown, attempt: number): unknown {
  const cause = unwrap(error);
  if (cause instanceof ServiceError || cause instanceof ChatError) {
    if (cause.next === 'give-up') return new DeadLetter(cause.message, { cause, code: codeOf(cause) });
    const { retryAfterMs: afterMs } = cause;
    return new RetryLater(cause.message, { cause, ...(afterMs === undefined ? {} : { afterMs }) });
  }
  if (isOwn(cause) && attempt >= OWN_ERRORS)
    return new DeadLetter(`an error of deskbridge itself: ${cause.message}`, { cause });
  return cause;
}

/** Slack's error code or the service's status, as `failureReason` reads it. */
function codeOf(error: ServiceError | ChatError): string | undefined {
  if (error instanceof AnsweredError) return String(error.status);
  return error instanceof ChatError ? error.code : undefined;
}

/** Runs a job, classifies its error (`classifyError`) and counts retries. */
export async function runClassified<Result>(
  { metrics }: Pick<Bridge, 'metrics'>,
  { queue, attempt }: Pick<Job<unknown>, 'queue' | 'attempt'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const next = classifyError(error, attempt);
    const reason = retryReason(next);
    if (reason) metrics.retries.inc({ queue, reason });
    throw next;
  }
}

/** Returns why a job is retried; undefined if it is not, or if it only waits for a rate limit. */
function retryReason(next: unknown): 'chat_rate_limit' | 'chat' | 'service' | 'other' | undefined {
  if (next instanceof DeadLetter || next instanceof LeaseLost) return undefined;
  if (next instanceof RetryLater && !next.countAttempt) return undefined;
  const cause = next instanceof RetryLater ? next.cause : next;
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

/** Bolt wraps the errors of listeners. */
function unwrap(error: unknown): unknown {
  if (error instanceof Error && 'original' in error && error.original instanceof Error)
    return unwrap(error.original);
  return error;
}
