import type { EgressOutcome } from '../../platform/egress.ts';

/** The result of an attempt for its delivery. */
export type AttemptResult =
  | { kind: 'delivered'; status: number; error: null }
  | { kind: 'gone'; status: number; error: string }
  | { kind: 'failed'; status: number | null; error: string; retryAfter: string | null };

/** 2xx is success, 410 asks us never to call again, everything else (including a redirect) is a failure to retry. */
export function attemptResult(outcome: EgressOutcome): AttemptResult {
  if (outcome.kind !== 'answered')
    return { kind: 'failed', status: null, error: outcome.reason, retryAfter: null };
  const { status, retryAfter } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status, error: null };
  if (status === 410) return { kind: 'gone', status, error: 'the receiver is gone for good' };
  return { kind: 'failed', status, error: `answered ${status}`, retryAfter };
}

/** A webhook's failures since its last success. */
export interface Health {
  failingSince: Date | null;
  failedEvents: number;
}

const DEACTIVATE_AFTER_EVENTS = 10;
const DEACTIVATE_AFTER_MS = 5 * 24 * 60 * 60 * 1000;

/** Returns whether a webhook is to be disabled: at least 10 failed events, and 5 days without a success. */
export function isToDisable({ failingSince, failedEvents }: Health, now: Date): boolean {
  return (
    failingSince !== null &&
    failedEvents >= DEACTIVATE_AFTER_EVENTS &&
    now.getTime() - failingSince.getTime() >= DEACTIVATE_AFTER_MS
  );
}
