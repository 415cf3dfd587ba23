import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { revokeKey } from '../keys/revoke.ts';
import { unprocessable } from '../problem.ts';

/**
 * Ends what a person made who is no longer an active admin: their API keys are revoked, and so are the keys that were
 * made with these; their webhooks send nothing more. Or hands all of it over to another admin. Nothing of it comes back
 * when the person does.
 * @param handOverTo the admin who gets it; null: it ends.
 */
export async function leaveMade(
  tx: ServiceTx,
  { newId, caller, now }: Pick<Tools, 'newId'> & { caller: Caller; now: Date },
  { workspaceId, personId, handOverTo }: { workspaceId: string; personId: string; handOverTo: string | null },
): Promise<void> {
  if (handOverTo !== null) await requireHeir(tx, { workspaceId, personId, handOverTo });
  const actor = actorOf(caller);
  const audit = (
    action: 'api-key.revoked' | 'webhook.deactivated' | 'settings.changed',
    id: string,
    reason: string,
  ) => writeAudit(tx, { newId, now }, { workspaceId, action, actor, subjectId: id, reason });
  const keys = await tx
    .selectFrom('api_key')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('made_by', '=', personId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  const webhooks = await tx
    .selectFrom('webhook')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('made_by', '=', personId)
    .where('active', '=', true)
    .orderBy('id')
    .execute();
  if (handOverTo !== null) {
    for (const table of ['api_key', 'webhook'] as const)
      await tx
        .updateTable(table)
        .set({ made_by: handOverTo })
        .where('workspace_id', '=', workspaceId)
        .where('made_by', '=', personId)
        .execute();
    const reason = `Handed over to ${handOverTo}: the person who made it, ${personId}, is no longer an active admin.`;
    for (const { id } of [...keys, ...webhooks]) await audit('settings.changed', id, reason);
    return;
  }
  const reason = `The person who made it, ${personId}, is no longer an active admin.`;
  for (const { id } of keys) {
    await revokeKey(tx, { id, workspaceIds: [workspaceId] }, now);
    await audit('api-key.revoked', id, reason);
  }
  await tx
    .updateTable('webhook')
    .set({ active: false, deactivated_reason: 'person-left', updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('made_by', '=', personId)
    .where('active', '=', true)
    .execute();
  for (const { id } of webhooks) await audit('webhook.deactivated', id, reason);
}

/** Throws 422 unless the heir is another active admin of the workspace; they stay one until this commits. */
async function requireHeir(
  tx: ServiceTx,
  { workspaceId, personId, handOverTo }: { workspaceId: string; personId: string; handOverTo: string },
): Promise<void> {
  const heir = await tx
    .selectFrom('person')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', handOverTo)
    .where('id', '<>', personId)
    .where('role', '=', 'admin')
    .where('is_bot', '=', false)
    .where('deactivated_at', 'is', null)
    .where('erased_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (!heir) throw unprocessable('handOverTo', 'Expected another active admin of this workspace');
}
