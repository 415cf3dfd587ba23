import { type Selectable, sql } from 'kysely';

import { ID_PREFIXES, type WebhookEvent } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { tellReadersChange } from '../access/readers-change.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { noteChanges, notableChanges } from '../notifications/changes.ts';
import { type NewEvent, Outbox } from '../outbox.ts';
import type { Tables } from '../schema/tables.ts';
import { indexWritten } from '../search/index/indexing.ts';
import type { ServiceEngine, ServicePlanningTx } from '../work.ts';
import { workflowWork } from '../workflow-config/planned.ts';
import { type Attempt, attemptWork } from './kinds.ts';

interface Context {
  newId: NewId;
  now: Date;
  /** The caller of the request; absent if the service itself writes. */
  caller?: Pick<Caller, 'keyId' | 'originWebhook'>;
}

type NewPing = Omit<Extract<WebhookEvent, { type: 'Ping' }>, 'id' | 'occurredAt'>;

type ActiveWebhook = Pick<
  Selectable<Tables['webhook']>,
  'workspace_id' | 'id' | 'serves_chat' | 'event_types' | 'key_id' | 'queue_ids'
>;

/** An event with the webhooks that get it. */
interface Wanted {
  id: string;
  event: NewEvent | NewPing;
  webhooks: readonly ActiveWebhook[];
}

/** Runs a write in a transaction that also stores its events, repeated from the start if Postgres rolls it back. */
export function writeWithEvents<Result>(
  engine: ServiceEngine,
  context: Context,
  write: (tx: ServiceTx, outbox: Outbox) => Promise<Result>,
): Promise<Result> {
  return engine.transaction(async (tx) => {
    const outbox = new Outbox();
    const result = await write(tx, outbox);
    await indexWritten(tx);
    await storeEvents(tx, context, outbox);
    return result;
  });
}

/**
 * Stores the events of a write in its own transaction, with their deliveries, plans its work, and tells open pages if others
 * may read something than before. All of it exists if and only if the write does.
 */
export async function storeEvents(tx: ServicePlanningTx, context: Context, outbox: Outbox): Promise<void> {
  const { events, work } = outbox;
  if (outbox.areReadersNew) await tellReadersChange(tx);
  await noteChanges(tx, notableChanges(outbox, context.newId), context.now);
  const attempts = await storeDeliveries(tx, context, await wantedBySubscription(tx, context, events));
  const triggered = await workflowWork(tx, context, outbox);
  tx.plan.add(...work, ...attempts.map(attemptWork), ...triggered);
}

/** Stores the test event of a webhook. Returns the first attempt of its delivery, or undefined if it is not active. */
export async function storePing(
  tx: ServiceTx,
  context: Context,
  event: NewPing,
): Promise<Attempt | undefined> {
  const active = await activeWebhooks(tx, [event.workspaceId]);
  const webhooks = active.filter(({ id }) => id === event.data.webhookId);
  const wanted = { id: context.newId(ID_PREFIXES.event), event, webhooks };
  const [attempt] = await storeDeliveries(tx, context, webhooks.length > 0 ? [wanted] : []);
  return attempt;
}

/** Returns the events that webhooks subscribe to. */
async function wantedBySubscription(
  tx: ServiceTx,
  { newId, caller }: Context,
  events: readonly NewEvent[],
): Promise<Wanted[]> {
  if (events.length === 0) return [];
  const active = await activeWebhooks(tx, [...new Set(events.map(({ workspaceId }) => workspaceId))]);
  return events.flatMap((event) => {
    const webhooks = active.filter((webhook) => receivesEvent(webhook, event) && !isOrigin(webhook, caller));
    return webhooks.length > 0 ? [{ id: newId(ID_PREFIXES.event), event, webhooks }] : [];
  });
}

/** Returns the active webhooks of workspaces. None of them is deleted before the transaction ends. */
function activeWebhooks(tx: ServiceTx, workspaceIds: readonly string[]): Promise<ActiveWebhook[]> {
  return tx
    .selectFrom('webhook')
    .select(['workspace_id', 'id', 'serves_chat', 'event_types', 'key_id', 'queue_ids'])
    .where('workspace_id', 'in', workspaceIds)
    .where('active', '=', true)
    .forKeyShare()
    .execute();
}

function receivesEvent(
  { workspace_id, event_types, queue_ids, serves_chat }: ActiveWebhook,
  event: NewEvent,
): boolean {
  if (workspace_id !== event.workspaceId || !event_types.includes(event.type)) return false;
  if (event.action === 'chat-requested' && !serves_chat) return false;
  const queueId = event.ticket.queueId;
  return queue_ids === null || (typeof queueId === 'string' && queue_ids.includes(queueId));
}

/** Returns whether a webhook belongs to the key of the request, which is not notified of its own writes. */
function isOrigin({ id, key_id }: ActiveWebhook, caller: Context['caller']): boolean {
  return key_id !== null && id === caller?.originWebhook && key_id === caller.keyId;
}

/** Stores events with a delivery for each of their webhooks. Returns the first attempts. */
async function storeDeliveries(
  tx: ServiceTx,
  { newId, now }: Context,
  wanted: readonly Wanted[],
): Promise<Attempt[]> {
  if (wanted.length === 0) return [];
  // The body is serialized once, here: every attempt sends the same bytes.
  const bodies = wanted.map(({ id, event }) =>
    JSON.stringify({ id, occurredAt: now.toISOString(), ...event }),
  );
  await sql`
    insert into event (workspace_id, id, type, action, body, created_at)
    select workspace_id, id, type, action, body, ${now} from unnest(
      ${wanted.map(({ event }) => event.workspaceId)}::text[],
      ${wanted.map(({ id }) => id)}::text[],
      ${wanted.map(({ event }) => event.type)}::text[],
      ${wanted.map(({ event }) => event.action)}::text[],
      ${bodies}::text[]
    ) as new (workspace_id, id, type, action, body)`.execute(tx);
  const deliveries = wanted.flatMap(({ id: eventId, webhooks }) =>
    webhooks.map((webhook) => ({ eventId, webhook, id: newId(ID_PREFIXES.delivery) })),
  );
  await sql`
    insert into delivery (workspace_id, id, webhook_id, event_id, state, next_attempt_at, created_at, updated_at)
    select workspace_id, id, webhook_id, event_id, 'pending', ${now}, ${now}, ${now} from unnest(
      ${deliveries.map(({ webhook }) => webhook.workspace_id)}::text[],
      ${deliveries.map(({ id }) => id)}::text[],
      ${deliveries.map(({ webhook }) => webhook.id)}::text[],
      ${deliveries.map(({ eventId }) => eventId)}::text[]
    ) as new (workspace_id, id, webhook_id, event_id)`.execute(tx);
  return deliveries.map(({ id, webhook }) => ({
    workspaceId: webhook.workspace_id,
    webhookId: webhook.id,
    deliveryId: id,
    round: 0,
    step: 0,
    servesChat: webhook.serves_chat,
  }));
}
