import type { PersonRole, Role } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { CallerSession, ServiceDb } from '../handler.ts';
import type { Authenticated, KnownCaller } from '../keys/authenticated.ts';
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
    caller: callerOfPerson(session, session.id),
    until: Math.min(seenAt.getTime() + LAST_SEEN_EVERY_MS, expiresAt.getTime()),
  };
}

/**
 * Returns the caller that a person is, whichever way they act.
 * @param sessionId names that way: their session, the program that they connected, their reply that is sent later.
 */
export function callerOfPerson(
  person: {
    workspace_id: string;
    person_id: string;
    role: PersonRole;
    queue_ids: readonly string[] | null;
  },
  sessionId: string,
): Authenticated & { session: CallerSession } {
  return {
    keyId: null,
    role: KEY_ROLE[person.role],
    source: 'WEB',
    workspaceId: person.workspace_id,
    workspaceIds: [person.workspace_id],
    personId: person.person_id,
    rateLimit: null,
    session: { id: sessionId, role: person.role, queueIds: queuesOf(person) },
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
