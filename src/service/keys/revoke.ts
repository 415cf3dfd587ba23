import type { Selectable } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';

type KeyRow = Selectable<Tables['api_key']>;

/**
 * Revokes a key: it is rejected from the next request on, and the webhooks that it created send nothing until a user
 * with access enables them again. A key that stopped because its maker left is revoked for good.
 * @returns the key; undefined if no key that is valid or stopped has that id in these workspaces.
 */
export async function revokeKey(
  tx: ServiceTx,
  key: { id: string; workspaceIds?: readonly string[] },
  now: Date,
): Promise<KeyRow | undefined> {
  let rows = tx.updateTable('api_key').set({ revoked_at: now, stopped_at: null });
  if (key.workspaceIds) rows = rows.where('workspace_id', 'in', key.workspaceIds);
  const revoked = await rows
    .where('id', '=', key.id)
    .where((is) => is.or([is('revoked_at', 'is', null), is('stopped_at', 'is not', null)]))
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
