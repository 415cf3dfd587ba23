import type { Updateable } from 'kysely';

import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { Caller, Handlers, ServiceDb, Tools } from '../handler.ts';
import { contains, idsOf, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { booleanKey, page, textKey, timeKey } from '../lists/page.ts';
import { found, unprocessable } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { findWebhook, lockWebhook, otherBridges, visibleWebhooks } from './find.ts';
import { toWebhook, type WebhookRow } from './records.ts';
import { openSecret, sealSecret } from './secrets.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('w.created_at'),
    updatedAt: timeKey('w.updated_at'),
    name: textKey('w.name'),
    active: booleanKey('w.active'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'w.id',
} as const;

/** How long events are signed with both the old and the new secret. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

type Names = 'createWebhook' | 'listWebhooks' | 'readWebhook' | 'updateWebhook' | 'deleteWebhook';

export function webhookHandlers({ newId, webhookUrlAllowed, sealing }: Tools): Pick<Handlers, Names> {
  function checkUrl(url: string): void {
    if (!webhookUrlAllowed(url))
      throw unprocessable(
        'url',
        'Webhooks go to public addresses only, unless ALLOW_PRIVATE_WEBHOOKS is set',
      );
  }

  const shown = async (db: ServiceDb, caller: Caller, row: WebhookRow) =>
    toWebhook(row, openSecret(sealing, row, row.secret), await otherBridges(db, caller));

  return {
    async createWebhook({ caller, body, now }, tx) {
      checkUrl(body.url);
      const place = { workspace_id: caller.workspaceId, id: newId(ID_PREFIXES.webhook) };
      const row = await tx
        .insertInto('webhook')
        .values({
          ...place,
          name: body.name ?? null,
          url: body.url,
          secret: sealSecret(sealing, place, body.secret || null),
          active: body.active ?? true,
          event_types: [...new Set(body.eventTypes ?? ['Ticket', 'Message'])],
          key_id: caller.keyId,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return shown(tx, caller, row);
    },

    async listWebhooks({ caller, query }, db) {
      let rows = visibleWebhooks(db, caller, listedWorkspaces(caller, query.workspaceId));
      const ids = idsOf(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.search) rows = rows.where(contains(['w.name', 'w.url'], query.search));
      const { ids: listed, ...rest } = await page(rows, ORDER, query);
      const stored = await visibleWebhooks(db, caller)
        .selectAll('w')
        .where(isOneOf('w.id', listed))
        .execute();
      const hidden = await otherBridges(db, caller);
      return { items: inOrder(listed, stored).map((row) => toWebhook(row, null, hidden)), ...rest };
    },

    async readWebhook({ caller, params }, db) {
      return shown(db, caller, await findWebhook(db, caller, params.id));
    },

    async updateWebhook({ caller, params, body, now }, tx) {
      if (body.url) checkUrl(body.url);
      const before = await lockWebhook(tx, caller, params.id);
      const row = await tx
        .updateTable('webhook')
        .set({
          ...changedColumns(sealing, before, body, now),
          ...switched(body.active, caller),
          updated_at: now,
        })
        .where('workspace_id', '=', before.workspace_id)
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirst();
      return shown(tx, caller, found(row));
    },

    async deleteWebhook({ caller, params }, tx) {
      const row = await lockWebhook(tx, caller, params.id);
      await tx
        .deleteFrom('webhook')
        .where('workspace_id', '=', row.workspace_id)
        .where('id', '=', row.id)
        .execute();
      return shown(tx, caller, row);
    },
  };
}

/**
 * Enabling resets its failures, or the next failure would disable it again; and it then belongs to the key that enabled
 * it, because the original one may be revoked.
 */
function switched(active: boolean | null | undefined, { keyId }: Caller): Updateable<Tables['webhook']> {
  if (typeof active !== 'boolean') return {};
  const off = { active, deactivated_reason: null };
  return active ? { ...off, failing_since: null, failed_events: 0, key_id: keyId } : off;
}

function changedColumns(
  sealing: Sealing,
  before: WebhookRow,
  body: ParsedBody<'updateWebhook'>,
  now: Date,
): Updateable<Tables['webhook']> {
  const known = openSecret(sealing, before, before.secret);
  const secret = body.secret === undefined ? known : body.secret || null;
  return {
    ...(body.url && { url: body.url }),
    ...(body.name !== undefined && { name: body.name }),
    ...(body.eventTypes && { event_types: [...new Set(body.eventTypes)] }),
    ...(secret !== known && {
      secret: sealSecret(sealing, before, secret),
      previous_secret: secret === null ? null : before.secret,
      previous_secret_until: secret === null ? null : new Date(now.getTime() + ROTATION_MS),
    }),
  };
}
