import { LIMITS } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { Jobs } from '../../platform/jobs/index.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { hashToken, sameDigest } from './token.ts';

export interface Authenticated extends Caller {
  /** Requests a minute; null: the service's default; 0: no limit. */
  rateLimit: number | null;
}

export interface KnownKeys {
  /** Returns the caller with this key; undefined for an unknown or revoked one. */
  callerOf(token: string): Promise<Authenticated | undefined>;
  /** Reads every key again at its next use. Other processes are notified by the database. */
  forget(): void;
}

/** Minimum interval between updates of `lastUsedAt`: it shows which keys are in use, not when exactly. */
const LAST_USED_EVERY_MS = 60_000;
/** A key is read again after this, so that a revocation holds even if its notification is lost on the way. */
const KEPT_MS = 10_000;
/** Notified by a trigger (schema.sql) at every change of a key but its last use. */
const CHANNEL = 'deskbridge_keys';

/** Compared if no key has the digest, so that an unknown key takes as long as a known one. */
const NO_DIGEST = Buffer.alloc(32);

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
      'person_id',
      'rate_limit',
      'last_used_at',
    ])
    .where('hash', '=', NO_DIGEST)
    .where('revoked_at', 'is', null),
);

/**
 * Knows the keys that were used lately. A revoked key stops working at once, in every process (specification,
 * Authentication): all keys are forgotten at a notification, and none is kept while notifications cannot arrive.
 */
export function createKnownKeys(
  db: ServiceDb,
  jobs: Pick<Jobs<Tables>, 'listen' | 'listening'>,
  clock: Clock,
): KnownKeys {
  let known = new Map<string, { caller: Authenticated; until: number }>();
  const forget = () => {
    known = new Map();
  };
  jobs.listen(CHANNEL, forget);
  return {
    forget,
    async callerOf(token) {
      if (token.length < LIMITS.token.min || token.length > LIMITS.token.max) return undefined;
      const hash = hashToken(token);
      const digest = hash.toString('base64');
      const now = clock.now();
      // A result that was read before a change is not cached after it.
      const keys = known;
      const kept = keys.get(digest);
      if (kept && now.getTime() < kept.until) return kept.caller;
      const [key] = await keyOfDigest(db, hash);
      const isSame = sameDigest(hash, key?.hash ?? NO_DIGEST);
      if (!key || !isSame) {
        keys.delete(digest);
        return undefined;
      }
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
      const caller: Authenticated = {
        keyId: key.id,
        role: key.role,
        source: key.source,
        workspaceId: key.workspace_id,
        workspaceIds: [key.workspace_id, ...key.further_workspace_ids],
        personId: key.person_id,
        rateLimit: key.rate_limit,
      };
      const until = Math.min(now.getTime() + KEPT_MS, usedAt + LAST_USED_EVERY_MS);
      if (jobs.listening) keys.set(digest, { caller, until });
      return caller;
    },
  };
}
