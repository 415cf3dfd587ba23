import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Answer } from '../client/index.ts';
import { Cache } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import { type Cookie, readCookie, setCookieHeader } from '../platform/http/index.ts';
import { type Sealing, SealingError } from '../platform/sealing.ts';
import type { Clients } from './clients.ts';
import { isUnauthorized } from './refusal.ts';

/** The session of one browser; `token` is what all calls to the service are made with. */
export type Session = PersonSession | KeySession;

/** A session of the service: the service knows the person and what they may do. */
interface PersonSession {
  kind: 'person';
  token: string;
}

/** An API key, and the user who was chosen: null is the key's own user, absent before the choice. */
interface KeySession {
  kind: 'key';
  token: string;
  userId?: string | null | undefined;
}

/** A session that still holds. */
interface CheckedSession {
  /** What the person may do; null for an API key, whose role only the service knows. */
  role: Answer<'readSession'>['role'] | null;
}

const sealedSession = z.object({
  key: z.string().min(1),
  userId: z.string().nullable().optional(),
  /** Expiry, in milliseconds since 1970. */
  until: z.number(),
});

/** A session of the service, which its sign-in put into the cookie. */
const OF_SERVICE = /^dbs_[\w-]{1,200}$/;
/** The purpose of the encryption: no other encrypted text can be used as a session. */
const PLACE = 'desk session';
const LASTS_SECONDS = 7 * 24 * 60 * 60;
/** For how many milliseconds an accepted token is remembered, and how many tokens are. */
const ADMITTED_MS = 60_000;
const ADMITTED = 10_000;

/**
 * Where people sign in, the cookie is the token of their session, which the service can end. With an API key, sessions
 * live in the browser alone: a cookie that only we can open, so they outlive a restart and hold in every process that
 * has the same `TOKEN_ENCRYPTION_KEY`. No script can read the cookie. Of other sites' requests only a link to the desk
 * carries it, so that the page opens with its data from a link in chat.
 */
export interface Sessions {
  /** Whether people sign in as themselves; else with an API key. */
  readonly signIn: boolean;
  /** The session of a request, which the service may have ended: calls with its token show that. */
  read(request: FastifyRequest): Session | undefined;
  /**
   * The session of a request, for what calls no service; undefined too if the service ended it. Throws ServiceError.
   */
  check(request: FastifyRequest): Promise<CheckedSession | undefined>;
  /**
   * Whether a request has a session, as far as needs to be known before its body is read: one that the service took
   * within the last minute counts, because the call that the body is for shows its end. Throws ServiceError, also if
   * the service ended the session.
   */
  admits(request: FastifyRequest): Promise<boolean>;
  /** Begins a session of an API key. */
  begin(reply: FastifyReply, session: { key: string; userId?: string | null }): void;
  end(reply: FastifyReply): void;
}

export interface SessionsOptions {
  signIn: boolean;
  clients: Clients;
  sealing: Sealing;
  clock: Clock;
  /** Whether the desk is served over https. */
  secure: boolean;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { signIn, clients, sealing, clock, secure } = options;
  const cookie: Cookie = { name: 'deskbridge_session', secure };
  const setCookie = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header('set-cookie', setCookieHeader(cookie, value, seconds));

  function opened(sealed: string): Session | undefined {
    try {
      const { key, userId, until } = sealedSession.parse(JSON.parse(sealing.open(sealed, PLACE)));
      return until > clock.now().getTime() ? { kind: 'key', token: key, userId } : undefined;
    } catch (error) {
      // Of another key, modified, or of an older format: treated as missing.
      if (error instanceof SealingError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  function read(request: FastifyRequest): Session | undefined {
    const value = readCookie(request.headers.cookie, cookie);
    if (value === undefined) return undefined;
    if (!signIn) return opened(value);
    return OF_SERVICE.test(value) ? { kind: 'person', token: value } : undefined;
  }

  const admitted = new Cache<true>(ADMITTED, { clock, ms: ADMITTED_MS });

  return {
    signIn,
    read,
    async admits(request) {
      const session = read(request);
      // A cookie with a key can be made by the desk alone.
      if (session?.kind !== 'person') return session !== undefined;
      return admitted.get(session.token, async () => {
        await clients.of(session.token).readSession({});
        return true;
      });
    },
    async check(request) {
      const session = read(request);
      if (!session) return undefined;
      if (session.kind === 'key') return { role: null };
      try {
        const { role } = await clients.of(session.token).readSession({});
        return { role };
      } catch (error) {
        if (isUnauthorized(error)) return undefined;
        throw error;
      }
    },
    begin(reply, session) {
      const until = clock.now().getTime() + LASTS_SECONDS * 1000;
      setCookie(reply, sealing.seal(JSON.stringify({ ...session, until }), PLACE), LASTS_SECONDS);
    },
    end: (reply) => void setCookie(reply, '', 0),
  };
}
