import { compiledOnce } from '../../platform/database/compiled.ts';
import type { ServiceDb } from '../handler.ts';
import type { KnownCaller } from './authenticated.ts';
import { NO_DIGEST, sameDigest } from './token.ts';

/** Minimum interval between updates of `lastUsedAt`: it shows which keys are in use, not when exactly. */
const LAST_USED_EVERY_MS = 60_000;

const keyOfDigest = compiledOnce((db: ServiceDb) =>
  db
    .selectFrom('api_key')
    .select([
      'workspace_id',
      'id',
      'role',
      'source',
      'hash',
      'further_workspace_ids',
      'queue_ids',
      'person_id',
      'rate_limit',
      'last_used_at',
    ])
    .where('hash', '=', NO_DIGEST)
    .where('revoked_at', 'is', null),
);

/** Reads the caller with a valid API key of this digest, and notes that the key is in use. */
export async function callerWithKey(
  db: ServiceDb,
  hash: Buffer,
  now: Date,
): Promise<KnownCaller | undefined> {
  const [key] = await keyOfDigest(db, hash);
  const isSame = sameDigest(hash, key?.hash ?? NO_DIGEST);
  if (!key || !isSame) return undefined;
  let usedAt = key.last_used_at?.getTime() ?? -Infinity;
  if (now.getTime() - usedAt >= LAST_USED_EVERY_MS) {
    usedAt = now.getTime();
    await db
      .updateTable('api_key')
      .set({ last_used_at: now })
      .where('workspace_id', '=', key.workspace_id)
      .where('id', '=', key.id)
      .execute();
  }
  return {
    caller: {
      keyId: key.id,
      role: key.role,
      source: key.source,
      workspaceId: key.workspace_id,
      workspaceIds: [key.workspace_id, ...key.further_workspace_ids],
      queueIds: key.queue_ids,
      personId: key.person_id,
      rateLimit: key.rate_limit,
    },
    until: usedAt + LAST_USED_EVERY_MS,
  };
}
