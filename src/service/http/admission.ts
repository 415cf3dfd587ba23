import type { FastifyReply, FastifyRequest } from 'fastify';

import { ORIGIN_HEADER } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Authenticated } from '../keys/authenticated.ts';
import type { KnownCallers } from './known-callers.ts';
import { TOKEN_HEADER, TOKEN_PARAMETER } from '../keys/token.ts';
import { ServiceProblem } from '../problem.ts';
import { isSessionToken } from '../sessions/token.ts';
import { createRateLimit } from './rate-limit.ts';

/** Admits requests: who sends them, and whether they are too many. */
export interface Admission {
  /** Returns the caller and counts the request against its limit; throws 401 and 429. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<Authenticated>;
  /** The same for a token that was read elsewhere. @param where says in the 401 how to send it. */
  admitToken(
    token: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    where: string,
  ): Promise<Authenticated>;
  /** Counts a request of a caller who is known already; throws 429. */
  count(caller: Authenticated, reply: FastifyReply): Authenticated;
  /** Counts a request that no caller sends against the limit of its address; throws 429. */
  limitAddress(request: FastifyRequest, reply: FastifyReply): void;
}

export interface AdmissionOptions {
  keys: KnownCallers;
  clock: Clock;
  /** Default for keys without their own limit, and for each client address without a key. */
  rateLimitPerMinute: number;
}

export function createAdmission({ keys, clock, rateLimitPerMinute }: AdmissionOptions): Admission {
  const rateLimit = createRateLimit(clock);
  const take = (who: string, limit: number, reply: FastifyReply) => {
    const { allowed, headers } = rateLimit.take(who, limit);
    reply.headers(headers);
    if (!allowed)
      throw new ServiceProblem(
        'TOO_MANY_REQUESTS',
        `More than ${limit} requests a minute. Wait as Retry-After says.`,
      );
  };
  const limitAddress: Admission['limitAddress'] = (request, reply) =>
    take(`address ${request.ip}`, rateLimitPerMinute, reply);
  const count: Admission['count'] = (caller, reply) => {
    const limit = caller.rateLimit ?? rateLimitPerMinute;
    if (limit > 0) take(`key ${caller.session?.id ?? caller.keyId ?? ''}`, limit, reply);
    return caller;
  };
  const admitToken: Admission['admitToken'] = async (token, request, reply, where) => {
    const caller = token === undefined ? undefined : await keys.callerOf(token);
    if (!caller) {
      limitAddress(request, reply);
      throw new ServiceProblem('UNAUTHORIZED', `A valid API key or session is needed, ${where}.`);
    }
    count(caller, reply);
    const origin = request.headers[ORIGIN_HEADER];
    return typeof origin === 'string' ? { ...caller, originWebhook: origin } : caller;
  };
  return {
    limitAddress,
    admitToken,
    count,
    admit: (request, reply) =>
      admitToken(tokenOf(request.headers, request.query), request, reply, `in the header ${TOKEN_HEADER}`),
  };
}

/** Returns the key or session token of a request, or undefined. */
function tokenOf(headers: Record<string, unknown>, query: unknown): string | undefined {
  const header = headers[TOKEN_HEADER];
  if (header !== undefined) return typeof header === 'string' ? header : '';
  const parameter = (query as Record<string, unknown>)[TOKEN_PARAMETER];
  // Addresses are logged and shared: the token of a session is accepted only in the header.
  return typeof parameter === 'string' && !isSessionToken(parameter) ? parameter : undefined;
}
