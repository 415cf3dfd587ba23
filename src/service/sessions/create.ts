import { ID_PREFIXES } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { hashToken } from '../keys/token.ts';
import { expiryOf } from './lifetime.ts';
import { makeSessionToken } from './token.ts';

export interface NewSession {
  workspaceId: string;
  personId: string;
  /** Where the person signs in, to be recognised in the list of sessions. */
  address: string | null;
  userAgent: string | null;
  /** The account with which the person signs in; absent: by a link. */
  identityId?: string | undefined;
  /** The token of the session that the new one replaces. */
  replaces?: string | undefined;
}

/** Starts a session of a person. Only its token's digest is stored, so this result alone contains the token. */
export async function createSession(
  tx: ServiceTx,
  { newId, randomBytes }: Pick<Tools, 'newId' | 'randomBytes'>,
  now: Date,
  { workspaceId, personId, address, userAgent, identityId, replaces }: NewSession,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  if (replaces !== undefined)
    await tx.deleteFrom('session').where('hash', '=', hashToken(replaces)).execute();
  const id = newId(ID_PREFIXES.session);
  const token = makeSessionToken(randomBytes);
  const expiresAt = expiryOf(now, now);
  await tx
    .insertInto('session')
    .values({
      workspace_id: workspaceId,
      id,
      person_id: personId,
      hash: hashToken(token),
      address,
      user_agent: userAgent,
      identity_id: identityId ?? null,
      created_at: now,
      last_seen_at: now,
      expires_at: expiresAt,
    })
    .execute();
  await tx
    .updateTable('person')
    .set({ signed_in_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', personId)
    .where('signed_in_at', 'is', null)
    .execute();
  return { id, token, expiresAt };
}
