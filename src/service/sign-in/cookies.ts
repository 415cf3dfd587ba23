import type { FastifyReply, FastifyRequest } from 'fastify';

import { isSessionToken } from '../sessions/token.ts';

/** Binds a started sign-in to the browser. `Lax`: the provider's redirect back carries it. */
const FLOW = { name: 'deskbridge_sign_in', path: '/auth', sameSite: 'Lax' } as const;
/** The desk reads it (src/desk/session.ts). `Lax`: a link in chat opens the desk signed in. */
const SESSION = { name: 'deskbridge_session', path: '/', sameSite: 'Lax' } as const;

/** Longer than any session, whose end the service decides. */
const SESSION_SECONDS = 30 * 24 * 60 * 60;

/** The cookies of `/auth`. */
export interface SignInCookies {
  flow(request: FastifyRequest): string | undefined;
  setFlow(reply: FastifyReply, secret: string, seconds: number): void;
  endFlow(reply: FastifyReply): void;
  /** The token of a session that the browser has already. */
  session(request: FastifyRequest): string | undefined;
  setSession(reply: FastifyReply, token: string): void;
}

/** `secure`: browsers send them over https only. */
export function createCookies(secure: boolean): SignInCookies {
  const set = (reply: FastifyReply, cookie: typeof FLOW | typeof SESSION, value: string, seconds: number) =>
    void reply.header(
      'set-cookie',
      `${cookie.name}=${value}; Path=${cookie.path}; HttpOnly; SameSite=${cookie.sameSite}; Max-Age=${seconds}${secure ? '; Secure' : ''}`,
    );
  return {
    flow: (request) => read(request, FLOW.name),
    setFlow: (reply, secret, seconds) => set(reply, FLOW, secret, seconds),
    endFlow: (reply) => set(reply, FLOW, '', 0),
    session: (request) => {
      const token = read(request, SESSION.name);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    setSession: (reply, token) => set(reply, SESSION, token, SESSION_SECONDS),
  };
}

function read(request: FastifyRequest, name: string): string | undefined {
  const found = new RegExp(`(?:^|;\\s*)${name}=([^;\\s]+)`).exec(request.headers.cookie ?? '');
  return found?.[1];
}
