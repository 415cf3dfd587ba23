import { WEBHOOK_HEADERS, type WebhookEvent } from '../../contract/index.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { sign } from '../../platform/signatures.ts';
import type { ServiceDb } from '../handler.ts';
import { openSecret } from './secrets.ts';
import type { Attempt, StoredDelivery } from './kinds.ts';

/** The contents of one attempt. */
export interface Due {
  eventId: string;
  type: string;
  url: string;
  active: boolean;
  body: Buffer;
  secrets: string[];
}

/** Returns the delivery of an attempt; undefined if the delivery is stale or done, or its webhook was deleted. */
export async function storedDelivery(db: ServiceDb, attempt: Attempt): Promise<StoredDelivery | undefined> {
  const stored = await db
    .selectFrom('delivery as d')
    .innerJoin('webhook as w', (join) =>
      join.onRef('w.workspace_id', '=', 'd.workspace_id').onRef('w.id', '=', 'd.webhook_id'),
    )
    .innerJoin('event as e', (join) =>
      join.onRef('e.workspace_id', '=', 'd.workspace_id').onRef('e.id', '=', 'd.event_id'),
    )
    .select([
      'w.queue_ids',
      'w.url',
      'w.active',
      'w.secret',
      'w.previous_secret',
      'w.previous_secret_until',
      'e.id',
      'e.type',
      'e.body',
    ])
    .where('d.workspace_id', '=', attempt.workspaceId)
    .where('d.id', '=', attempt.deliveryId)
    .where('d.state', '=', 'pending')
    .where('d.round', '=', attempt.round)
    .where('d.step', '=', attempt.step)
    .executeTakeFirst();
  return stored?.queue_ids ? limitedTo(stored.queue_ids, db, attempt, stored) : stored;
}

/** An event as a webhook of these queues may read it: not at all any more if its ticket was moved elsewhere. */
async function limitedTo(
  queueIds: readonly string[],
  db: ServiceDb,
  { workspaceId }: Attempt,
  stored: StoredDelivery,
): Promise<StoredDelivery> {
  const event = JSON.parse(stored.body) as WebhookEvent;
  if (event.ticket === null) return stored;
  const ticket = await db
    .selectFrom('ticket')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', event.ticket.id)
    .where('queue_id', 'in', queueIds.length > 0 ? queueIds : [''])
    .executeTakeFirst();
  return ticket ? { ...stored, body: JSON.stringify(withoutRelatives(event)) } : { ...stored, active: false };
}

/**
 * Returns an event without the other tickets that its ticket names: they may be of queues that the webhook does not
 * read. The record itself shows those that it does. The same at every attempt, so that all have the same bytes.
 */
function withoutRelatives(event: WebhookEvent): WebhookEvent {
  if (event.type !== 'Ticket') return event;
  const { parentId: _, mergedIntoId: __, links: ___, ...changes } = event.changes ?? {};
  return {
    ...event,
    data: { ...event.data, parentId: null, parent: null, mergedIntoId: null, children: [], links: [] },
    changes: event.changes && changes,
  };
}

export function dueOf(
  sealing: Sealing,
  { workspaceId, webhookId }: Attempt,
  {
    id: eventId,
    type,
    url,
    active,
    body,
    secret,
    previous_secret,
    previous_secret_until: until,
  }: StoredDelivery,
  now: Date,
): Due {
  const previous = until !== null && until > now ? previous_secret : null;
  return {
    eventId,
    type,
    url,
    active,
    body: Buffer.from(body, 'utf8'),
    secrets: [secret, previous]
      .map((each) => openSecret(sealing, { workspace_id: workspaceId, id: webhookId }, each))
      .filter((each) => each !== null),
  };
}

/** Returns the headers of Standard Webhooks 1.0; without a secret there is no signature. */
export function headersOf(
  { eventId, body, secrets }: Due,
  now: Date,
  version: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': `deskbridge/${version}`,
    [WEBHOOK_HEADERS.id]: eventId,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    ...(secrets.length > 0 && {
      [WEBHOOK_HEADERS.signature]: sign({ id: eventId, timestamp, body }, secrets),
    }),
  };
}
