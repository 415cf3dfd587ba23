import { z } from 'zod';

import { ServiceError } from '../../client/index.ts';
import { type Job, LeaseLost, DeadLetter, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';

/** Times an error of our own making is tried again: it may have been chance once, it is not the tenth time. */
const OWN_ERRORS = 8;

/**
 * From what failed to what happens next. What may pass keeps its place in its lane for as long as it takes; what never
 * will is parked with its reason. An error of our own (a bug, input we cannot bear) is parked after some tries: it must
 * not keep everything behind it waiting for ever.
 */
export function verdict(error: unknown, attempt: number): unknown {
  const cause = unwrap(error);
  if (cause instanceof ServiceError || cause instanceof ChatError) {
    if (cause.next === 'give-up') return new DeadLetter(cause.message, { cause });
    const { retryAfterMs: afterMs } = cause;
    return new RetryLater(cause.message, { cause, ...(afterMs === undefined ? {} : { afterMs }) });
  }
  if (isOwn(cause) && attempt >= OWN_ERRORS)
    return new DeadLetter(`an error of deskbridge itself: ${cause.message}`, { cause });
  return cause;
}

/** Works a job. What it throws is what its lane has to know (`verdict`); what will be tried again is counted. */
export async function judged<Result>(
  { metrics }: Pick<Bridge, 'metrics'>,
  { queue, attempt }: Pick<Job<unknown>, 'queue' | 'attempt'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const next = verdict(error, attempt);
    const reason = retryReason(next);
    if (reason) metrics.retries.inc({ queue, reason });
    throw next;
  }
}

/** Why something is tried again, in a word; undefined for what is not, and for keeping a pace, which is no failure. */
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

/** Bolt wraps what a listener throws. */
function unwrap(error: unknown): unknown {
  if (error instanceof Error && 'original' in error && error.original instanceof Error)
    return unwrap(error.original);
  return error;
}
