import { type RawBuilder, sql } from 'kysely';

import type { Caller, ServiceTx } from '../handler.ts';
import { found, ServiceProblem, unprocessable } from '../problem.ts';

/** Records that belong to one person or are shared with all agents. */
type Table = 'view' | 'canned_reply';

const isAdminKey = ({ session, role }: Caller) => !session && role === 'admin';

/**
 * Returns a condition that a caller sees a row: shared ones and their own; admin keys see all, so that these can be
 * exported.
 * @param personalToo whether an admin key sees other people's personal ones.
 */
export function isVisible(caller: Caller, personalToo: boolean): RawBuilder<boolean> {
  if (personalToo && isAdminKey(caller)) return sql<boolean>`true`;
  return sql<boolean>`(is_shared or coalesce(owner_id = ${caller.personId}::text, false))`;
}

/**
 * Locks the record with an id that a caller may change, until the transaction ends.
 * @throws 404 unless the caller sees it; 403 unless it is the caller's own, or the caller an admin.
 */
export async function lockOwned(
  tx: ServiceTx,
  caller: Caller,
  table: Table,
  id: string,
): Promise<{ workspaceId: string; ownerId: string | null; isShared: boolean }> {
  const row = found(
    await tx
      .selectFrom(table)
      .select(['workspace_id', 'owner_id', 'is_shared'])
      .where('workspace_id', 'in', caller.workspaceIds)
      .where('id', '=', id)
      .where(isVisible(caller, true))
      .forUpdate()
      .executeTakeFirst(),
  );
  if (caller.role !== 'admin' && !isOwner(caller, row.owner_id))
    throw new ServiceProblem('FORBIDDEN', 'Only its owner and admins can change or delete what is shared.');
  return { workspaceId: row.workspace_id, ownerId: row.owner_id, isShared: row.is_shared };
}

/** Returns the owner of a caller's new record. @throws 422 if it is to be personal and the caller is no person. */
export function ownerOf(caller: Caller, workspaceId: string, isShared: boolean): string | null {
  // The user of a key is of its home workspace.
  const owner = workspaceId === caller.workspaceId ? caller.personId : null;
  if (!isShared && owner === null)
    throw unprocessable('isShared', 'This key has no user in the workspace. Send isShared: true.');
  return owner;
}

/** Throws 403 if a caller would take a shared record from the others and cannot keep it. */
export function requireMayUnshare(
  caller: Caller,
  stored: { ownerId: string | null; isShared: boolean },
  isShared: boolean | null | undefined,
): void {
  if (stored.isShared && isShared === false && !isOwner(caller, stored.ownerId))
    throw new ServiceProblem('FORBIDDEN', 'Only its owner can make this personal. Delete it instead.');
}

function isOwner({ personId }: Caller, ownerId: string | null): boolean {
  return ownerId !== null && ownerId === personId;
}
