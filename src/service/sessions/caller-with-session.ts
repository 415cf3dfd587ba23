import type { PersonRole, Role } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { ServiceDb } from '../handler.ts';
import type { KnownCaller } from '../keys/authenticated.ts';
import { NO_DIGEST, sameDigest } from '../keys/token.ts';
import { expiryOf } from './lifetime.ts';

/** Minimum interval between updates of `lastSeenAt`. */
const LAST_SEEN_EVERY_MS = 60_000;

/** The role of a key that may call the same routes; what a requester may write, each route says itself. */
const KEY_ROLE: Record<PersonRole, Role> = { requester: 'read', agent: 'agent', admin: 'admin' };

const sessionOfDigest = compiledOnce((db: ServiceDb) =>
  db
    .selectFrom('session as s')
    .innerJoin('person as p', (on) =>
      on.onRef('p.workspace_id', '=', 's.workspace_id').onRef('p.id', '=', 's.person_id'),
    )
    .select([
      's.workspace_id',
      's.id',
      's.person_id',
      's.hash',
      's.created_at',
      's.last_seen_at',
      's.expires_at',
      'p.role',
      'p.queue_ids',
    ])
    .where('s.hash', '=', NO_DIGEST)
    .where('p.deactivated_at', 'is', null)
    .where('p.erased_at', 'is', null),
);

/** Reads the caller of an active session with a token of this digest, and extends the session. */
export async function callerWithSession(
  db: ServiceDb,
  hash: Buffer,
  now: Date,
): Promise<KnownCaller | undefined> {
  const [session] = await sessionOfDigest(db, hash);
  const isSame = sameDigest(hash, session?.hash ?? NO_DIGEST);
  if (!session || !isSame || session.expires_at <= now) return undefined;
  let { last_seen_at: seenAt, expires_at: expiresAt } = session;
  if (now.getTime() - seenAt.getTime() >= LAST_SEEN_EVERY_MS) {
    seenAt = now;
    expiresAt = expiryOf(session.created_at, now);
    await db
      .updateTable('session')
      .set({ last_seen_at: now, expires_at: expiresAt })
      .where('workspace_id', '=', session.workspace_id)
      .where('id', '=', session.id)
      .execute();
  }
  return {
    caller: {
      keyId: null,
      role: KEY_ROLE[session.role],
      source: 'WEB',
      workspaceId: session.workspace_id,
      workspaceIds: [session.workspace_id],
      personId: session.person_id,
      rateLimit: null,
      session: { id: session.id, role: session.role, queueIds: queuesOf(session) },
    },
    until: Math.min(seenAt.getTime() + LAST_SEEN_EVERY_MS, expiresAt.getTime()),
  };
}

/** An admin sees every queue, a requester none; an agent those that were chosen, or every one. */
function queuesOf(person: {
  role: PersonRole;
  queue_ids: readonly string[] | null;
}): readonly string[] | null {
  if (person.role === 'agent') return person.queue_ids;
  return person.role === 'admin' ? null : [];
}
