import { z } from 'zod';

import { type NewWork, workFor, type WorkKind, workKind } from '../../platform/engine/index.ts';
import { CLASSES } from '../work.ts';

/**
 * Concurrent attempts per webhook, over all processes. Each has its own lane, so an endpoint that never answers holds up
 * four of its own events and no others; a failed attempt waits in a lane of its own, so it does not hold up the ones behind
 * it either.
 */
const ATTEMPTS_PER_WEBHOOK = 4;

/** An attempt, identified by its step and by how often the schedule was started. */
const AttemptBody = z.object({
  workspaceId: z.string(),
  webhookId: z.string(),
  deliveryId: z.string(),
  round: z.number(),
  step: z.number(),
  /** Whether the webhook serves chat: its attempts have their own class. */
  servesChat: z.boolean(),
});
export type Attempt = z.infer<typeof AttemptBody>;

/** An attempt that is due. */
export const ATTEMPT = workKind('attempt', CLASSES.webhook, AttemptBody);
/** The same for a webhook that serves chat. */
export const CHAT_ATTEMPT = workKind('chat-attempt', CLASSES.chatWebhook, AttemptBody);
/** An attempt that waits for its time. */
export const RETRY = workKind('retry', CLASSES.webhookRetry, AttemptBody);

/** A notice that a webhook was disabled, and why. */
const NoticeBody = z.object({ workspaceId: z.string(), webhookId: z.string(), reason: z.string() });
export type Notice = z.infer<typeof NoticeBody>;
export const NOTICE = workKind('webhook-notice', CLASSES.webhookNotice, NoticeBody);

export function attemptKind({ servesChat }: Pick<Attempt, 'servesChat'>): WorkKind<Attempt> {
  return servesChat ? CHAT_ATTEMPT : ATTEMPT;
}

export function attemptWork(attempt: Attempt): NewWork {
  // The end of an id differs from one to the next.
  const slot = (attempt.deliveryId.codePointAt(attempt.deliveryId.length - 1) ?? 0) % ATTEMPTS_PER_WEBHOOK;
  return workFor(attemptKind(attempt), `${attempt.webhookId} ${slot}`, attempt);
}

/** @param delayMs milliseconds until it is due. */
export function retryWork(attempt: Attempt, delayMs: number): NewWork {
  return workFor(RETRY, attempt.deliveryId, attempt, { delayMs });
}

export function noticeWork(notice: Notice): NewWork {
  return workFor(NOTICE, notice.webhookId, notice);
}

/** The stored payload of a delivery. */
export interface StoredDelivery {
  /** The event's. */
  id: string;
  type: string;
  body: string;
  /** The queues whose tickets the webhook gets; null: all. */
  queue_ids: string[] | null;
  url: string;
  active: boolean;
  secret: string | null;
  previous_secret: string | null;
  previous_secret_until: Date | null;
}
