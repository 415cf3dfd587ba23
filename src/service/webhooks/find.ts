import { type RawBuilder, sql } from 'kysely';

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
 * Returns the URL of a webhook `w` as far as a caller sees it. A search through the rest would tell it sign by sign.
 */
export function visibleUrl({ keyId }: Caller): RawBuilder<string> {
  return sql<string>`case when w.serves_chat and w.key_id is distinct from ${keyId}
    then regexp_replace(w.url, '[^/]*$', '') else w.url end`;
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
