import type { Selectable } from 'kysely';

import type { Delivery, Webhook } from '../../contract/index.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { Tables } from '../schema/tables.ts';

export type WebhookRow = Selectable<Tables['webhook']>;

/**
 * Returns a webhook as a caller may see it. With the secret of one that serves chat, and the unguessable end of its
 * URL, an admin's key could impersonate the service to the bridge: only the key that it belongs to sees them.
 * @param secret the signing secret, only for a single webhook: lists never show secrets.
 */
export function toWebhook(row: WebhookRow, secret: string | null, { keyId }: Caller): Webhook {
  const isHidden = row.serves_chat && (keyId === null || row.key_id !== keyId);
  return {
    id: row.id,
    name: row.name,
    url: isHidden ? row.url.replace(/[^/]*$/, '…') : row.url,
    secret: isHidden ? null : secret,
    active: row.active,
    eventTypes: row.event_types as Webhook['eventTypes'],
    queueIds: row.queue_ids,
    createdByKeyId: row.key_id,
    madeById: row.made_by,
    servesChat: row.serves_chat,
    deactivatedReason: row.deactivated_reason,
    workspaceId: row.workspace_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** Deliveries by id, in the order of `ids`. */
export async function deliveryRecords(
  db: ServiceDb,
  workspaceId: string,
  ids: readonly string[],
): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('delivery as d')
    .innerJoin('event as e', (join) =>
      join.onRef('e.workspace_id', '=', 'd.workspace_id').onRef('e.id', '=', 'd.event_id'),
    )
    .selectAll('d')
    .select(['e.type', 'e.action'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', 'in', ids.length ? ids : [''])
    .execute();
  const records = rows.map((row): Delivery => ({
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.type,
    action: row.action,
    state: row.state,
    attemptCount: row.attempts.length,
    attempts: row.attempts,
    nextAttemptAt: isoOrNull(row.next_attempt_at),
    deliveredAt: isoOrNull(row.delivered_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
  return inOrder(ids, records);
}
