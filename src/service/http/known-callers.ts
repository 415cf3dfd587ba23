import { LIMITS } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ServiceDb } from '../handler.ts';
import { callerWithSession } from '../sessions/caller-with-session.ts';
import { isSessionToken } from '../sessions/token.ts';
import type { ServiceEngine } from '../work.ts';
import type { Authenticated, KnownCaller } from '../keys/authenticated.ts';
import { callerWithKey } from '../keys/caller-with-key.ts';
import { hashToken } from '../keys/token.ts';

export interface KnownCallers {
  /** Returns the caller with this key or session token; undefined if it is unknown, revoked, ended or expired. */
  callerOf(token: string): Promise<Authenticated | undefined>;
  /** Reads every caller again at its next request. Other processes are notified by the database. */
  forget(): void;
  /** Calls back whenever all are forgotten: a session may have ended, or a role changed. */
  onForget(listener: () => void): void;
}

/** A caller is read again after this, so that a revocation holds even if its notification is lost on the way. */
const KEPT_MS = 10_000;
/** Notified by triggers (schema.sql) when a key, a session or a person's access changes. */
const CHANNEL = 'deskbridge_keys';

/**
 * Knows the keys and sessions that were used lately. A revoked key stops working at once, in every process
 * (specification, Authentication), and so does a session that ended: all are forgotten at a notification, and none is
 * kept while notifications cannot arrive.
 */
export function createKnownCallers(
  db: ServiceDb,
  engine: Pick<ServiceEngine, 'listen' | 'isListening'>,
  clock: Clock,
): KnownCallers {
  let known = new Map<string, KnownCaller>();
  const listeners: (() => void)[] = [];
  const forget = () => {
    known = new Map();
    for (const listener of listeners) listener();
  };
  engine.listen(CHANNEL, forget);
  return {
    forget,
    onForget: (listener) => void listeners.push(listener),
    async callerOf(token) {
      if (token.length < LIMITS.token.min || token.length > LIMITS.token.max) return undefined;
      const hash = hashToken(token);
      const digest = hash.toString('base64');
      const now = clock.now();
      // A result that was read before a change is not cached after it.
      const callers = known;
      const kept = callers.get(digest);
      if (kept && now.getTime() < kept.until) return kept.caller;
      const read = isSessionToken(token) ? callerWithSession : callerWithKey;
      const found = await read(db, hash, now);
      const until = Math.min(now.getTime() + KEPT_MS, found?.until ?? 0);
      if (!found) callers.delete(digest);
      else if (engine.isListening) callers.set(digest, { caller: found.caller, until });
      return found?.caller;
    },
  };
}
