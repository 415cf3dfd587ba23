import { type Selectable, sql } from 'kysely';

import { ID_PREFIXES, type WebhookEvent } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { enqueue, enqueueing, type NewJob } from '../../platform/jobs/index.ts';
import type { ServiceTx } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import type { NewEvent, Outbox } from '../outbox.ts';
import type { Tables } from '../schema/tables.ts';
import { attemptJob } from './jobs.ts';

interface Context {
  newId: NewId;
  now: Date;
}

type PingEvent = Extract<WebhookEvent, { type: 'Ping' }>;

/** An event and the webhooks that get it. */
interface Told {
  event: NewEvent | Omit<PingEvent, 'id' | 'occurredAt'>;
  webhookIds: readonly string[];
}

/**
 * Stores the jobs and events of a write in its own transaction, with one delivery for each webhook that subscribes to
 * them. They exist if and only if the write does. Comes last in the transaction, because it locks ordering keys.
 */
export async function storeEvents(tx: ServiceTx, context: Context, outbox: Outbox): Promise<void> {
  const told = await wantedBy(tx, outbox.events);
  if (told.length > 0) await storeDeliveries(tx, context, told, outbox.jobs);
  else await enqueue(tx, outbox.jobs);
}

/** Returns the events that any webhook subscribes to. */
async function wantedBy(tx: ServiceTx, events: readonly NewEvent[]): Promise<Told[]> {
  if (events.length === 0) return [];
  const types = [...new Set(events.map(({ type }) => type))];
  const webhooks = await tx
    .selectFrom('webhook')
    .select(['workspace_id', 'id', 'event_types'])
    .where(isOneOf('workspace_id', [...new Set(events.map(({ workspaceId }) => workspaceId))]))
    .where('active', '=', true)
    .where(sql<boolean>`event_types && ${types}::text[]`)
    .execute();
  return events
    .map((event) => ({
      event,
      webhookIds: webhooks
        .filter((row) => row.workspace_id === event.workspaceId && row.event_types.includes(event.type))
        .map(({ id }) => id),
    }))
    .filter(({ webhookIds }) => webhookIds.length > 0);
}

/**
 * Stores events, their deliveries, and the first attempts after the given jobs; returns the deliveries' ids. Locks
 * ordering keys, like `enqueue`.
 */
export async function storeDeliveries(
  tx: ServiceTx,
  { newId, now }: Context,
  told: readonly Told[],
  jobs: readonly NewJob[] = [],
): Promise<string[]> {
  const events: Omit<Selectable<Tables['event']>, 'created_at'>[] = [];
  const deliveries: { workspace_id: string; id: string; webhook_id: string; event_id: string }[] = [];
  const attempts: NewJob[] = [];
  for (const { event, webhookIds } of told) {
    const { type, action, workspaceId, ...rest } = event;
    const id = newId(ID_PREFIXES.event);
    // The body is serialized once, here: every attempt sends the same bytes.
    const body = { id, type, action, workspaceId, occurredAt: now.toISOString(), ...rest };
    events.push({ workspace_id: workspaceId, id, type, action, body: JSON.stringify(body) });
    for (const webhookId of webhookIds) {
      const deliveryId = newId(ID_PREFIXES.delivery);
      deliveries.push({ workspace_id: workspaceId, id: deliveryId, webhook_id: webhookId, event_id: id });
      attempts.push(attemptJob({ workspaceId, webhookId, deliveryId, round: 0, step: 0 }));
    }
  }
  await sql`
    select ${enqueueing([...jobs, ...attempts])}
    from store_events(${JSON.stringify(events)}::json, ${JSON.stringify(deliveries)}::json, ${now})`.execute(
    tx,
  );
  return deliveries.map(({ id }) => id);
}
