import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { createSession } from '../sessions/create.ts';
import { createCookies } from './cookies.ts';
import { findPerson, nameOf, type SigningPerson } from './find-person.ts';
import { FLOW_SECONDS, startFlow, stateOf, takeFlow } from './flow.ts';
import { sendLinkPage } from './link-page.ts';
import { readLink, useLink } from './links.ts';
import { createProvider, type ProviderOptions } from './provider.ts';
import { SignInRefused } from './refusal.ts';
import { returnPath } from './return-path.ts';

export interface SignInOptions {
  db: ServiceDb;
  tools: Tools;
  log: Log;
  clock: Clock;
  providers: readonly ProviderOptions[];
}

/**
 * Requests a minute from one address, and sign-ins a minute of one person. Counted per process: several replicas allow
 * as much each. Behind a proxy, `TRUSTED_PROXIES` tells the addresses of people from the proxy's own.
 */
const PER_ADDRESS = 60;
const PER_PERSON = 10;

const code = z.object({ code: z.string().regex(/^[\w-]{43}$/) });

/** People sign in as themselves: at a provider, or by a link. Registered under `/auth`, where the desk is. */
export function createSignInPlugin(options: SignInOptions): FastifyPluginAsync {
  const { db, tools, log, clock } = options;
  const { publicUrl } = tools;
  const rateLimit = createRateLimit(clock);
  const cookies = createCookies(publicUrl.startsWith('https:'));
  const providers = new Map(options.providers.map((one) => [one.id, createProvider(one, clock)]));
  const redirectUriOf = (id: string) => `${publicUrl}/auth/callback/${id}`;

  const limit = (who: string, perMinute: number) => {
    if (!rateLimit.take(who, perMinute).allowed) throw new SignInRefused('limited');
  };

  /** Makes the session of a person, in the transaction that found them. */
  const begin = async (
    tx: ServiceTx,
    request: FastifyRequest,
    person: SigningPerson,
  ): Promise<{ token: string }> => {
    limit(`person ${person.workspaceId} ${person.personId}`, PER_PERSON);
    return createSession(tx, tools, clock.now(), {
      ...person,
      address: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
      replaces: cookies.session(request),
    });
  };

  return async (scope) => {
    receiveForms(scope);
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    const attempt = {
      onRequest: async ({ ip }: FastifyRequest) => limit(`address ${ip}`, PER_ADDRESS),
    };
    scope.setErrorHandler(async (error, request, reply) => {
      if (!(error instanceof SignInRefused)) throw error;
      log.warn({ code: error.code, err: error.cause, requestId: request.id }, 'a sign-in was refused');
      return reply.redirect(`/#sign-in?reason=${error.code}`);
    });

    scope.get('/providers', () => [...providers.values()].map(({ id, name }) => ({ id, name })));

    scope.get<ProviderRoute>('/start/:provider', attempt, async (request, reply) => {
      const provider = providerOf(request);
      const returnTo = returnPath(request.query.returnTo, publicUrl);
      const { cookie, secrets } = await startFlow(db, tools, clock.now(), {
        provider: provider.id,
        returnTo,
      });
      const url = await orFailed(provider.authorizationUrl(redirectUriOf(provider.id), secrets));
      cookies.setFlow(reply, cookie, FLOW_SECONDS);
      return reply.redirect(url.href);
    });

    scope.get<ProviderRoute>('/callback/:provider', attempt, async (request, reply) => {
      const provider = providerOf(request);
      const cookie = cookies.flow(request);
      if (cookie === undefined) throw new SignInRefused('expired');
      const parameters = new URL(request.url, publicUrl).searchParams;
      // Of another sign-in, perhaps somebody else's: the one of this browser goes on.
      if (parameters.get('state') !== stateOf(cookie)) throw new SignInRefused('failed');
      cookies.endFlow(reply);
      const flow = await takeFlow(db, clock.now(), { cookie, provider: provider.id });
      if (!flow) throw new SignInRefused('expired');
      const signedIn = await orFailed(
        provider.complete(redirectUriOf(provider.id), parameters, flow.secrets),
      );
      const { token } = await transaction(db, async (tx) =>
        begin(tx, request, await findPerson(tx, signedIn, clock.now())),
      );
      cookies.setSession(reply, token);
      return reply.redirect(flow.returnTo);
    });

    scope.get('/link', attempt, async (request, reply) => {
      const link = linkIn(request.query);
      const name = await transaction(db, async (tx) =>
        nameOf(tx, await readLink(tx, link.code, clock.now())),
      );
      return sendLinkPage(reply, { ...link, name });
    });

    scope.post('/link', attempt, async (request, reply) => {
      // Another site's form would sign people in as somebody else.
      if (!isOwnForm(request)) throw new SignInRefused('failed');
      const link = linkIn(request.body);
      const { token } = await transaction(db, async (tx) =>
        begin(tx, request, await useLink(tx, link.code, clock.now())),
      );
      cookies.setSession(reply, token);
      return reply.redirect('/', 303);
    });
  };

  function providerOf({ params }: FastifyRequest<ProviderRoute>) {
    const provider = providers.get(params.provider);
    if (!provider) throw new SignInRefused('failed');
    return provider;
  }
}

interface ProviderRoute {
  Params: { provider: string };
  Querystring: { returnTo?: unknown };
}

function linkIn(fields: unknown): { code: string } {
  const { data } = code.safeParse(fields);
  if (!data) throw new SignInRefused('expired');
  return data;
}

/** What a provider does not do: its reason is for the log. */
async function orFailed<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new SignInRefused('failed', { cause });
  }
}

/** Whether the form of our own page was sent. Browsers name the origin of every form that is posted. */
function isOwnForm({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(headers.origin ?? '')?.host === headers.host;
}

function receiveForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 4_096 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}
