import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { isOneOf } from '../lists/filters.ts';
import { found } from '../problem.ts';
import type { WebhookRow } from './records.ts';

/** Returns the webhooks that a key can access: `admin` all of its workspaces, any other key its own. */
export function visibleWebhooks(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[] = caller.workspaceIds,
) {
  const rows = db.selectFrom('webhook as w').where(isOneOf('w.workspace_id', workspaceIds));
  return caller.role === 'admin' ? rows : rows.where('w.key_id', '=', caller.keyId);
}

/**
 * Returns the keys of bridges other than the caller's: with the secret of a webhook that one of them created, and the
 * unguessable end of its URL, an admin's key could impersonate the service to the bridge.
 */
export async function otherBridges(db: ServiceDb, caller: Caller): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('api_key')
    .select('id')
    .where(isOneOf('workspace_id', [...caller.workspaceIds]))
    .where('source', '=', 'CHAT')
    .where('id', 'is distinct from', caller.keyId)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function findWebhook(db: ServiceDb, caller: Caller, id: string): Promise<WebhookRow> {
  const row = await visibleWebhooks(db, caller).selectAll('w').where('w.id', '=', id).executeTakeFirst();
  return found(row);
}

export async function lockWebhook(tx: ServiceTx, caller: Caller, id: string): Promise<WebhookRow> {
  const row = await visibleWebhooks(tx, caller)
    .selectAll('w')
    .where('w.id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found(row);
}
