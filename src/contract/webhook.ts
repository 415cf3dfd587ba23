import { z } from 'zod';

import { webhookEventType } from './enums.ts';
import { httpUrl, id, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

/** Specification, Resources, Webhook. */
export const webhook = z
  .strictObject({
    id,
    name: z.string().nullable(),
    url: z.string(),
    secret: z.string().nullable(),
    active: z.boolean(),
    eventTypes: z.array(webhookEventType),
    /**
     * The queues whose tickets it gets, those of the key that created it unless an admin said others; null: all (beyond
     * the specification).
     */
    queueIds: z.array(id).nullable(),
    /** The API key that created it, or took it over when the former owner was gone (beyond the specification). */
    createdByKeyId: id.nullable(),
    /** The person who made or re-enabled it, also by a key that they made (beyond the specification). */
    madeById: id.nullable(),
    /**
     * Whether a chat program registered it (beyond the specification): its secret and the end of its URL are shown to
     * that program's key alone.
     */
    servesChat: z.boolean(),
    /** Why the service disabled it (beyond the specification). */
    deactivatedReason: z.enum(['key-revoked', 'person-left', 'gone', 'failing']).nullable(),
    workspaceId: id.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhook>;

export const webhookList = list(webhook);

export const webhookListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name'],
  groupBy: ['active'],
  filters: { madeById: id.nullish() },
});

const eventTypes = z.array(webhookEventType).min(1, 'Name at least one event type').max(LIMITS.arrayItems);
/** Base64 with or without its padding, and without unused bits, so that each secret has one spelling of its bytes. */
const ENCODED =
  /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw](?:==)?|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?)?$/;
const PREFIX = 'whsec_'.length;

/** Whether what follows `whsec_`, which is decoded for signing (Standard Webhooks 1.0), is enough to sign with. */
export function isSafeWhenDecoded(value: string): boolean {
  if (!value.startsWith('whsec_')) return true;
  const characters = value.slice(PREFIX).replace(/=+$/, '').length;
  return ENCODED.test(value) && Math.floor((characters * 3) / 4) >= LIMITS.webhookSecret.bytes;
}

/**
 * An empty secret is none; one too short to be safe is rejected. Blanks around it come from copying and are cut off.
 */
const secret = z
  .string()
  .trim()
  .max(LIMITS.webhookSecret.max)
  .refine(
    (value) => value === '' || value.length >= LIMITS.webhookSecret.min,
    `Expected at least ${LIMITS.webhookSecret.min} characters`,
  )
  .refine(
    isSafeWhenDecoded,
    `Expected Base64 of at least ${LIMITS.webhookSecret.bytes} bytes after whsec_. Any other secret must begin differently`,
  )
  .nullish();

/**
 * `POST /webhooks`. `eventTypes` default to both, `active` to true, `servesChat` to false, `queueIds` to those of the
 * key that makes it; `queueIds: null` are all queues.
 */
export const webhookCreate = z.object({
  url: httpUrl,
  name: shortText.nullish(),
  secret,
  active: z.boolean().nullish(),
  eventTypes: eventTypes.nullish(),
  servesChat: z.boolean().nullish(),
  queueIds: z.array(id).max(LIMITS.arrayItems).nullish(),
});

/** `PUT /webhooks/{id}`: absent fields stay; a null secret or name is cleared; `queueIds: null` are all queues. */
export const webhookUpdate = z.object({
  url: httpUrl.nullish(),
  name: shortText.nullish(),
  secret,
  active: z.boolean().nullish(),
  eventTypes: eventTypes.nullish(),
  servesChat: z.boolean().nullish(),
  queueIds: z.array(id).max(LIMITS.arrayItems).nullish(),
});

export const deliveryState = z.enum(['pending', 'delivered', 'failed', 'cancelled']);

/**
 * One event on its way to one webhook (beyond the specification). Response bodies are never shown, only their status.
 */
export const delivery = z
  .strictObject({
    id,
    webhookId: id,
    /** The `webhook-id` header: the same for all attempts. */
    eventId: id,
    eventType: z.string(),
    action: z.string(),
    state: deliveryState,
    attemptCount: z.int(),
    attempts: z.array(
      z.strictObject({
        at: timestamp,
        durationMs: z.int(),
        /** HTTP status of the response, or null if there was none. */
        status: z.int().nullable(),
        error: z.string().nullable(),
      }),
    ),
    nextAttemptAt: timestamp.nullable(),
    deliveredAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof delivery>;

export const deliveryList = list(delivery);

export const deliveryListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt'],
  groupBy: ['state'],
  filters: { state: deliveryState.nullish() },
});

export const deliveryParams = z.object({ id, deliveryId: id });
