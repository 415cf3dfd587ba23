import type { ServiceTx } from '../handler.ts';

/** Returns a query of the admins of a workspace who can sign in: people who are neither deactivated nor erased. */
export function activeAdmins(tx: ServiceTx, workspaceId: string) {
  return tx
    .selectFrom('person')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .where('is_bot', '=', false)
    .where('deactivated_at', 'is', null)
    .where('erased_at', 'is', null);
}
