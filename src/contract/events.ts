import { z } from 'zod';

import { id, timestamp } from './fields.ts';
import { ticketMessage } from './ticket-message.ts';
import { ticketWarning } from './ticket-warning.ts';
import { ticketDetail } from './ticket.ts';

/** Standard Webhooks 1.0, in lower case as in Node. */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

const shared = {
  /** Also the `webhook-id` header: the same for all attempts. */
  id,
  workspaceId: id,
  occurredAt: timestamp,
  actor: z.strictObject({ userId: id.nullable(), source: z.string().nullable() }),
};
const ticketRef = z.strictObject({ id, code: z.string(), queueId: id.nullable() });
/** Before and after, per changed field. */
const changes = z.record(z.string(), z.tuple([z.unknown(), z.unknown()]));

export const ticketEvent = z
  .strictObject({
    ...shared,
    type: z.literal('Ticket'),
    /**
     * Beyond the specification, and nothing of the ticket changed: `warned`, part of a target has passed;
     * `chat-requested`, a workflow asks for something to be written in chat, for webhooks that serve chat only.
     */
    action: z.enum(['created', 'updated', 'archived', 'warned', 'chat-requested']),
    data: ticketDetail,
    ticket: ticketRef,
    changes: changes.nullable(),
    /** Of `warned`. */
    warning: ticketWarning.optional(),
  })
  .meta({ id: 'TicketEvent' });

export const messageEvent = z
  .strictObject({
    ...shared,
    type: z.literal('Message'),
    action: z.enum(['created', 'updated', 'deleted']),
    data: ticketMessage,
    ticket: ticketRef,
    changes: changes.nullable(),
  })
  .meta({ id: 'MessageEvent' });

/** Sent by `POST /webhooks/{id}/ping`, whatever the webhook's `eventTypes`. */
export const pingEvent = z
  .strictObject({
    ...shared,
    type: z.literal('Ping'),
    action: z.enum(['ping']),
    data: z.strictObject({ webhookId: id }),
    ticket: z.null(),
    changes: z.null(),
  })
  .meta({ id: 'PingEvent' });

/** The body of a delivered event (docs/api.md, Webhooks). */
export const webhookEvent = z.discriminatedUnion('type', [ticketEvent, messageEvent, pingEvent]);
export type WebhookEvent = z.output<typeof webhookEvent>;
export type TicketEvent = z.output<typeof ticketEvent>;
export type MessageEvent = z.output<typeof messageEvent>;
