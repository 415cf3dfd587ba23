import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import { isOneOf, visibleWorkspaces } from '../lists/filters.ts';
import { found } from '../problem.ts';
import type { WebhookRow } from './records.ts';

/** The webhooks a key sees: `admin` all of its workspaces, any other key those that it made. */
export function visibleWebhooks(db: ServiceDb, caller: Caller, workspaceId?: string | null) {
  const rows = db
    .selectFrom('webhook as w')
    .where(isOneOf('w.workspace_id', visibleWorkspaces(caller, workspaceId)));
  return caller.role === 'admin' ? rows : rows.where('w.key_id', '=', caller.keyId);
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
