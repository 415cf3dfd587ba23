import type { Selectable } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';

type KeyRow = Selectable<Tables['api_key']>;

/**
 * Revokes a key: it is refused from the next request on, and the webhooks it made send nothing any more until somebody
 * who may see them switches them on again.
 * @returns the key; undefined where no valid key has that id in these workspaces.
 */
export async function revokeKey(
  tx: ServiceTx,
  key: { id: string; workspaceIds?: readonly string[] },
  now: Date,
): Promise<KeyRow | undefined> {
  let rows = tx.updateTable('api_key').set({ revoked_at: now });
  if (key.workspaceIds) rows = rows.where('workspace_id', 'in', key.workspaceIds);
  const revoked = await rows
    .where('id', '=', key.id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (revoked)
    await tx
      .updateTable('webhook')
      .set({ active: false, deactivated_reason: 'key-revoked', updated_at: now })
      .where('key_id', '=', key.id)
      .where('active', '=', true)
      .execute();
  return revoked;
}
