import type { NewJob } from '../../platform/jobs/index.ts';

/** Attempts that are due. */
export const ATTEMPTS = 'webhook';
/** Those of webhooks that serve chat, with workers of their own: no other webhook delays what people write to each other. */
export const CHAT_ATTEMPTS = 'webhook-chat';
/** Attempts that wait for their time, to be moved to the queue above. */
export const RETRIES = 'webhook-retry';

/**
 * Concurrent attempts per webhook, over all processes. Each has its own ordering key, so an endpoint that never answers
 * holds up four of its own events and no others; a failed attempt waits in another queue, so it does not hold up the
 * ones behind it either.
 */
export const ATTEMPTS_PER_WEBHOOK = 4;

/** An attempt, identified by its step and by how often the schedule was started. */
export interface AttemptJob {
  workspaceId: string;
  webhookId: string;
  deliveryId: string;
  round: number;
  step: number;
  /** Whether the webhook serves chat: its attempts have a queue of their own. */
  servesChat: boolean;
}

/** What a delivery sends, as it is stored. */
export interface StoredDelivery {
  /** The event's. */
  id: string;
  type: string;
  body: string;
  /** The queues whose tickets the maker of the webhook reads; null: all. */
  queue_ids: string[] | null;
  url: string;
  active: boolean;
  secret: string | null;
  previous_secret: string | null;
  previous_secret_until: Date | null;
}

export function attemptJob(attempt: AttemptJob): NewJob {
  // The end of an id differs from one to the next.
  const slot = (attempt.deliveryId.codePointAt(attempt.deliveryId.length - 1) ?? 0) % ATTEMPTS_PER_WEBHOOK;
  const queue = attempt.servesChat ? CHAT_ATTEMPTS : ATTEMPTS;
  return { queue, orderingKey: `${attempt.webhookId} ${slot}`, payload: { ...attempt } };
}

export function retryJob(attempt: AttemptJob, delayMs: number): NewJob {
  return { queue: RETRIES, orderingKey: attempt.deliveryId, payload: { ...attempt }, delayMs };
}
