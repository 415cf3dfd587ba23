import { type AuditEntry, ID_PREFIXES } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';

/** Records an action of the service itself, in the same transaction. */
export async function writeAudit(
  tx: ServiceTx,
  { newId, now }: Pick<Tools, 'newId'> & { now: Date },
  { workspaceId, action, subjectId, reason }: Omit<AuditEntry, 'id' | 'createdAt'>,
): Promise<void> {
  await tx
    .insertInto('audit_entry')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.auditEntry),
      action,
      subject_id: subjectId,
      reason,
      created_at: now,
    })
    .execute();
}
