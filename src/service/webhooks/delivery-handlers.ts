import { attemptWork } from '../delivery/kinds.ts';
import { storePing } from '../delivery/store.ts';
import type { Handlers, Tools } from '../handler.ts';
import { idsInSet, isOneOf } from '../lists/filters.ts';
import { jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { findWebhook, lockWebhook } from './find.ts';
import { deliveryRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('d.created_at'),
    updatedAt: timeKey('d.updated_at'),
    state: textKey('d.state'),
  },
  sortBy: 'createdAt',
  sortDirection: 'desc',
  id: 'd.id',
  bytes: jsonBytesOf('d.attempts'),
} as const;

type Names = 'listDeliveries' | 'redeliver' | 'pingWebhook';

export function deliveryHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listDeliveries({ caller, params, query }, db) {
      const webhook = await findWebhook(db, caller, params.id);
      let rows = db
        .selectFrom('delivery as d')
        .where('d.workspace_id', '=', webhook.workspace_id)
        .where('d.webhook_id', '=', webhook.id);
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('d.id', ids));
      if (query.state) rows = rows.where('d.state', '=', query.state);
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        deliveryRecords(db, webhook.workspace_id, shown),
      );
    },

    async redeliver({ caller, params, now, outbox }, tx) {
      const webhook = await findWebhook(tx, caller, params.id);
      if (!webhook.active) throw conflict('This webhook is not active.');
      // Restarts the schedule: a pending older attempt finds another round and does nothing.
      const { round } = found(
        await tx
          .updateTable('delivery')
          .set((column) => ({
            state: 'pending',
            step: 0,
            round: column('round', '+', 1),
            next_attempt_at: now,
            delivered_at: null,
            updated_at: now,
          }))
          .where('workspace_id', '=', webhook.workspace_id)
          .where('webhook_id', '=', webhook.id)
          .where('id', '=', params.deliveryId)
          .returning('round')
          .executeTakeFirst(),
      );
      outbox.plan(
        attemptWork({
          workspaceId: webhook.workspace_id,
          webhookId: webhook.id,
          deliveryId: params.deliveryId,
          round,
          step: 0,
          servesChat: webhook.serves_chat,
        }),
      );
      return found((await deliveryRecords(tx, webhook.workspace_id, [params.deliveryId]))[0]);
    },

    async pingWebhook({ caller, params, now, outbox }, tx) {
      const webhook = await lockWebhook(tx, caller, params.id);
      if (!webhook.active) throw conflict('This webhook is not active.');
      const workspaceId = webhook.workspace_id;
      const event = {
        type: 'Ping',
        action: 'ping',
        workspaceId,
        actor: { userId: caller.personId, source: caller.source },
        data: { webhookId: webhook.id },
        ticket: null,
        changes: null,
      } as const;
      const attempt = found(await storePing(tx, { newId, now, caller }, event));
      outbox.plan(attemptWork(attempt));
      return found((await deliveryRecords(tx, workspaceId, [attempt.deliveryId]))[0]);
    },
  };
}
