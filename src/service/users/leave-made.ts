import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { revokeKey } from '../keys/revoke.ts';
import { unprocessable } from '../problem.ts';
import { activeAdmins } from '../access/active-admins.ts';

/**
 * Ends what a person made who is no longer an active admin: their API keys are revoked, and so are the keys that were
 * made with these; their webhooks send nothing more. Or hands all of it over to another admin. Nothing of it comes back
 * when the person does; an admin may take over what ended.
 * @param handOverTo the admin who gets it; null: it ends.
 */
export async function leaveMade(
  tx: ServiceTx,
  { newId, caller, now }: Pick<Tools, 'newId'> & { caller: Caller; now: Date },
  { workspaceId, personId, handOverTo }: { workspaceId: string; personId: string; handOverTo: string | null },
): Promise<void> {
  const made = { workspace_id: workspaceId, made_by: personId };
  const audit = (
    action: 'api-key.revoked' | 'webhook.deactivated' | 'settings.changed',
    subjectId: string,
    reason: string,
  ) => writeAudit(tx, { newId, now }, { workspaceId, action, actor: actorOf(caller), subjectId, reason });
  if (handOverTo !== null) {
    await requireHeir(tx, { workspaceId, personId, handOverTo });
    const { keys, webhooks } = await handOver(tx, made, handOverTo);
    const why = `handed over to ${handOverTo}, because ${personId}, who made it, is no longer an active admin.`;
    for (const { id, name } of keys) await audit('settings.changed', id, `The API key “${name}” was ${why}`);
    for (const { id, name } of webhooks)
      await audit('settings.changed', id, `${webhookNamed(name)} was ${why}`);
    return;
  }
  const { keys, webhooks } = await stop(tx, made, now);
  const why = `because ${personId}, who made it, is no longer an active admin.`;
  for (const { id, name } of keys)
    await audit('api-key.revoked', id, `The API key “${name}” was revoked, ${why}`);
  for (const { id, name } of webhooks)
    await audit('webhook.deactivated', id, `${webhookNamed(name)} was turned off, ${why}`);
}

/** The keys and webhooks that a user created in a workspace. */
interface Made {
  workspace_id: string;
  made_by: string;
}

/** Everything but what ended when the person left before: that may be taken over by anyone. */
async function handOver(tx: ServiceTx, made: Made, heir: string) {
  const keys = await tx
    .updateTable('api_key')
    .set({ made_by: heir })
    .where((is) => is.and(made))
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();
  const webhooks = await tx
    .updateTable('webhook')
    .set({ made_by: heir })
    .where((is) => is.and(made))
    .where('deactivated_reason', 'is distinct from', 'person-left')
    .returning(['id', 'name'])
    .execute();
  return { keys, webhooks };
}

async function stop(tx: ServiceTx, made: Made, now: Date) {
  // Before the keys: those of the keys end for the same reason.
  const webhooks = await tx
    .updateTable('webhook')
    .set({ active: false, deactivated_reason: 'person-left', updated_at: now })
    .where((is) => is.and(made))
    .where('active', '=', true)
    .returning(['id', 'name'])
    .execute();
  const keys = await tx
    .selectFrom('api_key')
    .select(['id', 'name'])
    .where((is) => is.and(made))
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of keys) await revokeKey(tx, { id, workspaceIds: [made.workspace_id] }, now);
  await tx
    .updateTable('api_key')
    .set({ stopped_at: now })
    .where('workspace_id', '=', made.workspace_id)
    .where('id', 'in', keys.length ? keys.map(({ id }) => id) : [''])
    .execute();
  return { keys, webhooks };
}

const webhookNamed = (name: string | null) => (name ? `The webhook “${name}”` : 'A webhook');

/** Throws 422 unless the heir is another active admin of the workspace; they stay one until this commits. */
async function requireHeir(
  tx: ServiceTx,
  { workspaceId, personId, handOverTo }: { workspaceId: string; personId: string; handOverTo: string },
): Promise<void> {
  const heir = await activeAdmins(tx, workspaceId)
    .where('id', '=', handOverTo)
    .where('id', '<>', personId)
    .forShare()
    .executeTakeFirst();
  if (!heir) throw unprocessable('handOverTo', 'Expected another active admin of this workspace');
}
