import { type RawBuilder, sql } from 'kysely';

import { ID_PREFIXES, type WebhookEvent } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import { enqueue, enqueueing } from '../../platform/jobs/index.ts';
import { transaction } from '../../platform/database/open.ts';
import { tellReadersChange } from '../access/readers-change.ts';
import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { notableChanges, noteChanges } from '../notifications/changes.ts';
import { type NewEvent, Outbox } from '../outbox.ts';
import { indexWritten } from '../search/index/indexing.ts';
import { ATTEMPTS, ATTEMPTS_PER_WEBHOOK, CHAT_ATTEMPTS } from './jobs.ts';

interface Context {
  newId: NewId;
  now: Date;
  /** Whose request it is; absent if the service itself writes. */
  caller?: Pick<Caller, 'keyId' | 'originWebhook'>;
}

type PingEvent = Extract<WebhookEvent, { type: 'Ping' }>;

/** Random characters of a delivery's id, after its time. */
const RANDOM_OF_ID = 16;

/**
 * Returns the parts of a statement that store its events with one delivery for each webhook that subscribes to them, to
 * follow a relation `written_event (id, event, webhook_id)`: `event` is the body without id and time, as json; a
 * `webhook_id` makes it an event for that webhook alone. The statement ends with `enqueueing([], 'attempt')`, after all
 * its rows, because that locks ordering keys.
 */
function deliveries({ newId, now, caller }: Context): RawBuilder<unknown> {
  // How many there will be is not known yet; hexadecimal digits are digits of an id.
  const idUpToTime = newId(ID_PREFIXES.delivery).slice(0, -RANDOM_OF_ID);
  // The body is serialized once, here: every attempt sends the same bytes.
  return sql`wanted as (
      select e.id as event_id, e.event, w.workspace_id, w.id as webhook_id, w.serves_chat,
        ${idUpToTime}::text || right(replace(gen_random_uuid()::text, '-', ''), ${sql.lit(RANDOM_OF_ID)}) as id
      from written_event e join webhook w on w.workspace_id = e.event ->> 'workspaceId'
      left join api_key k on k.workspace_id = w.workspace_id and k.id = w.key_id
      where w.active and (e.webhook_id is not null or k.queue_ids is null
          or e.event -> 'ticket' ->> 'queueId' = any(k.queue_ids))
        and case when e.webhook_id is null
        then e.event ->> 'type' = any(w.event_types)
          and (w.id = ${caller?.originWebhook ?? null} and w.key_id = ${caller?.keyId ?? null}) is not true
        else w.id = e.webhook_id end
      for key share of w
    ), stored_event as (
      insert into event (workspace_id, id, type, action, body, created_at)
      select distinct on (event_id) workspace_id, event_id, event ->> 'type', event ->> 'action',
        concat('{"id":', to_json(event_id), ',"occurredAt":"', ${now.toISOString()}::text, '",', substr(event::text, 2)),
        ${now}::timestamptz
      from wanted
    ), stored_delivery as (
      insert into delivery (workspace_id, id, webhook_id, event_id, state, next_attempt_at, created_at, updated_at)
      select workspace_id, id, webhook_id, event_id, 'pending', ${now}, ${now}, ${now} from wanted
    ), attempt as (
      select case when serves_chat then ${sql.lit(CHAT_ATTEMPTS)} else ${sql.lit(ATTEMPTS)} end as queue,
        webhook_id || ' ' || ascii(right(id, 1)) % ${sql.lit(ATTEMPTS_PER_WEBHOOK)} as ordering_key,
        jsonb_build_object('workspaceId', workspace_id, 'webhookId', webhook_id, 'deliveryId', id, 'round', 0, 'step', 0,
          'servesChat', serves_chat)
          as payload
      from wanted
    )`;
}

/** Runs a write in a transaction that also stores its events, repeated from the start if Postgres rolls it back. */
export function writeWithEvents<Result>(
  db: ServiceDb,
  context: Context,
  write: (tx: ServiceTx, outbox: Outbox) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (tx) => {
    const outbox = new Outbox();
    const result = await write(tx, outbox);
    await indexWritten(tx);
    await storeEvents(tx, context, outbox);
    return result;
  });
}

/**
 * Stores the jobs and events of a write in its own transaction, with their deliveries, and tells open pages if others may
 * read something than before. They exist if and only if the write does. Comes last in the transaction, because it locks
 * ordering keys.
 */
export async function storeEvents(tx: ServiceTx, context: Context, outbox: Outbox): Promise<void> {
  const { events, jobs } = outbox;
  if (outbox.areReadersNew) await tellReadersChange(tx);
  if (events.length === 0) return enqueue(tx, jobs);
  const changes = notableChanges(outbox, context.newId);
  await sql`with ${written(context, events)}, ${deliveries(context)}${changes.length > 0 ? noteChanges(changes, context.now) : sql``}
    select ${enqueueing(jobs, 'attempt')}
    where ${jobs.length > 0} or exists (select from attempt)`.execute(tx);
}

/** Stores the test event of a webhook and returns the id of its delivery. */
export async function storePing(
  tx: ServiceTx,
  context: Context,
  event: Omit<PingEvent, 'id' | 'occurredAt'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with ${written(context, [event], event.data.webhookId)}, ${deliveries(context)}
    select id, ${enqueueing([], 'attempt')} from wanted`.execute(tx);
  return rows[0]?.id;
}

function written(
  { newId }: Context,
  events: readonly (NewEvent | Omit<PingEvent, 'id' | 'occurredAt'>)[],
  webhookId?: string,
): RawBuilder<unknown> {
  const rows = events.map((event) => ({ id: newId(ID_PREFIXES.event), event, webhook_id: webhookId }));
  return sql`written_event as (
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as e (id text, event json, webhook_id text))`;
}
