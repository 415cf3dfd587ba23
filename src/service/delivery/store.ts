import { sql } from 'kysely';

import { ID_PREFIXES, type WebhookEvent } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { enqueue, type NewJob } from '../../platform/lanes/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { NewEvent, Outbox } from '../outbox.ts';
import { attemptJob } from './jobs.ts';

interface Context {
  newId: NewId;
  now: Date;
}

/**
 * Stores what follows from a write in its own transaction: its jobs, and its events with one delivery for each webhook
 * that wants them. They exist if and only if the write does. Comes last in the transaction, since it locks lanes.
 */
export async function storeEvents(tx: ServiceTx, context: Context, outbox: Outbox): Promise<void> {
  const jobs: NewJob[] = [...outbox.jobs];
  for (const event of outbox.events) {
    const webhooks = await tx
      .selectFrom('webhook')
      .select('id')
      .where('workspace_id', '=', event.workspaceId)
      .where('active', '=', true)
      .where(sql<boolean>`${event.type} = any(event_types)`)
      .execute();
    if (webhooks.length === 0) continue;
    const eventId = await storeEvent(tx, context, event);
    for (const webhook of webhooks)
      jobs.push(
        await storeDelivery(tx, context, { workspaceId: event.workspaceId, webhookId: webhook.id, eventId }),
      );
  }
  await enqueue(tx, jobs);
}

type PingEvent = Extract<WebhookEvent, { type: 'Ping' }>;

/** The body is made once, here: it is the same bytes in every attempt. */
export async function storeEvent(
  tx: ServiceTx,
  { newId, now }: Context,
  event: NewEvent | Omit<PingEvent, 'id' | 'occurredAt'>,
): Promise<string> {
  const id = newId(ID_PREFIXES.event);
  const { type, action, workspaceId, ...rest } = event;
  const body = { id, type, action, workspaceId, occurredAt: now.toISOString(), ...rest };
  await tx
    .insertInto('event')
    .values({ workspace_id: workspaceId, id, type, action, body: JSON.stringify(body), created_at: now })
    .execute();
  return id;
}

/** Adds a delivery; the job of its first attempt is the caller's to enqueue. */
export async function storeDelivery(
  tx: ServiceTx,
  { newId, now }: Context,
  { workspaceId, webhookId, eventId }: { workspaceId: string; webhookId: string; eventId: string },
): Promise<NewJob & { deliveryId: string }> {
  const deliveryId = newId(ID_PREFIXES.delivery);
  await tx
    .insertInto('delivery')
    .values({
      workspace_id: workspaceId,
      id: deliveryId,
      webhook_id: webhookId,
      event_id: eventId,
      state: 'pending',
      next_attempt_at: now,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return { ...attemptJob({ workspaceId, webhookId, deliveryId, round: 0, step: 0 }), deliveryId };
}
