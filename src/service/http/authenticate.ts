import { LIMITS } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { hashToken, sameDigest } from '../keys/token.ts';

/** The header of the specification, Authentication, in lower case as in Node. */
export const TOKEN_HEADER = 'x-service-api-token';
/** For clients that cannot set headers; the header has priority. */
export const TOKEN_PARAMETER = 'apiKey';

/** Minimum interval between updates of `lastUsedAt`: it shows which keys are in use, not when exactly. */
const LAST_USED_EVERY_MS = 60_000;

/** Compared if no key has the digest, so that an unknown key takes as long as a known one. */
const NO_DIGEST = Buffer.alloc(32);

export interface Authenticated extends Caller {
  /** Requests a minute; null: the service's default; 0: no limit. */
  rateLimit: number | null;
}

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

/** Returns the key of a request, or undefined. */
export function tokenOf(headers: Record<string, unknown>, query: unknown): string | undefined {
  const header = headers[TOKEN_HEADER];
  if (header !== undefined) return typeof header === 'string' ? header : '';
  const parameter = (query as Record<string, unknown>)[TOKEN_PARAMETER];
  return typeof parameter === 'string' ? parameter : undefined;
}

/**
 * Returns the caller with this key; undefined for an unknown or revoked one. Read for every request: a revoked key
 * stops working immediately (specification, Authentication).
 */
export async function authenticate(
  db: ServiceDb,
  token: string,
  now: Date,
): Promise<Authenticated | undefined> {
  if (token.length < LIMITS.token.min || token.length > LIMITS.token.max) return undefined;
  const hash = hashToken(token);
  const [key] = await keyOfDigest(db, hash);
  const isSame = sameDigest(hash, key?.hash ?? NO_DIGEST);
  if (!key || !isSame) return undefined;
  if (key.last_used_at === null || now.getTime() - key.last_used_at.getTime() >= LAST_USED_EVERY_MS)
    await db
      .updateTable('api_key')
      .set({ last_used_at: now })
      .where('workspace_id', '=', key.workspace_id)
      .where('id', '=', key.id)
      .execute();
  return {
    keyId: key.id,
    role: key.role,
    source: key.source,
    workspaceId: key.workspace_id,
    workspaceIds: [key.workspace_id, ...key.further_workspace_ids],
    personId: key.person_id,
    rateLimit: key.rate_limit,
  };
}
