import type { Selectable } from 'kysely';

import { type AuditAction, type AuditEntry, ID_PREFIXES } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';

/** A person or an API key. */
export type Actor = { personId: string } | { keyId: string };

export interface NewAuditEntry {
  workspaceId: string;
  action: AuditAction;
  /** Absent: the service itself, or its operator on the command line. */
  actor?: Actor | undefined;
  subjectId: string | null;
  /** A sentence. */
  reason: string;
  /** Names no person: people by their ids, so that an erasure finds nothing here. An address is `email`. */
  detail?: AuditEntry['detail'];
}

/** Returns who is behind a request: the person of a session, or the API key; neither is the service itself. */
export function actorOf({
  keyId,
  personId,
  session,
}: Pick<Caller, 'keyId' | 'personId' | 'session'>): Actor | undefined {
  if (session && personId !== null) return { personId };
  return keyId === null ? undefined : { keyId };
}

/** Records an action in the transaction of the change. */
export async function writeAudit(
  tx: ServiceTx,
  { newId, now }: Pick<Tools, 'newId'> & { now: Date },
  { workspaceId, action, actor, subjectId, reason, detail = null }: NewAuditEntry,
): Promise<Selectable<Tables['audit_entry']>> {
  return tx
    .insertInto('audit_entry')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.auditEntry),
      action,
      actor_id: actor && 'personId' in actor ? actor.personId : null,
      actor_key_id: actor && 'keyId' in actor ? actor.keyId : null,
      subject_id: subjectId,
      reason,
      detail: detail && JSON.stringify(detail),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
