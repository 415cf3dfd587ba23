import type { Caller, ServiceTx } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { activeAdmins } from '../access/active-admins.ts';

/**
 * Returns the person behind what a caller makes: the one who is signed in, or the one who made the key; null for a key of
 * the operator. Throws 403 if the signed-in person stopped being an admin a moment ago: what they made has stopped, and
 * nothing may be added to it.
 */
export async function makerOf(
  tx: ServiceTx,
  { session, personId, keyId, workspaceId }: Caller,
): Promise<string | null> {
  if (!session) {
    if (keyId === null) return null;
    const key = await tx
      .selectFrom('api_key')
      .select('made_by')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', keyId)
      .forShare()
      .executeTakeFirst();
    return key?.made_by ?? null;
  }
  const person = await activeAdmins(tx, workspaceId).where('id', '=', personId).forShare().executeTakeFirst();
  if (!person) throw new ServiceProblem('FORBIDDEN', 'Only admins may do this.');
  return person.id;
}
