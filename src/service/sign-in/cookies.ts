import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Cookie, readCookie, setCookieHeader } from '../../platform/http/index.ts';
import { isSessionToken } from '../sessions/token.ts';

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

/** `secure`: the program is served over https. */
export function createCookies(secure: boolean): SignInCookies {
  /** Binds a started sign-in to the browser; the provider's redirect back carries it. */
  const flow: Cookie = { name: 'deskbridge_sign_in', secure };
  /** The desk reads it (src/desk/session.ts); a link in chat opens the desk signed in. */
  const session: Cookie = { name: 'deskbridge_session', secure };
  const set = (reply: FastifyReply, cookie: Cookie, value: string, seconds: number) =>
    void reply.header('set-cookie', setCookieHeader(cookie, value, seconds));
  return {
    flow: (request) => readCookie(request.headers.cookie, flow),
    setFlow: (reply, secret, seconds) => set(reply, flow, secret, seconds),
    endFlow: (reply) => set(reply, flow, '', 0),
    session: (request) => {
      const token = readCookie(request.headers.cookie, session);
      return token !== undefined && isSessionToken(token) ? token : undefined;
    },
    setSession: (reply, token) => set(reply, session, token, SESSION_SECONDS),
  };
}
