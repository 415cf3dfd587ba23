import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { createSession } from '../sessions/create.ts';
import { createCookies } from './cookies.ts';
import { auditRefusal } from './audit-refusal.ts';
import { findPerson, personName } from './find-person.ts';
import { FLOW_SECONDS, startFlow, stateOfCookie, takeFlow } from './flow.ts';
import { sendLinkPage } from './link-page.ts';
import { readLink, useLink } from './links.ts';
import { createProvider, type ProviderOptions } from './provider.ts';
import { type RefusalCode, SignInRefused, type SigningPerson } from './refusal.ts';
import { returnPath } from './return-path.ts';

export interface SignInOptions {
  db: ServiceDb;
  tools: Tools;
  log: Log;
  clock: Clock;
  providers: readonly ProviderOptions[];
}

/**
 * A minute's sign-ins that begin from one address, refusals of one address, and sign-ins of one person. They are
 * counted apart: wrong links and answers do not keep the people who share an address, such as that of a proxy, from
 * signing in. Counted per process: several replicas allow as much each. Behind a proxy, `TRUSTED_PROXIES` tells the
 * addresses of people from the proxy's own.
 */
const STARTS = 60;
const REFUSALS = 60;
const PER_PERSON = 10;

/** Log texts for refusals that the provider's settings cause. */
const REFUSED_WORDS: Partial<Record<RefusalCode, string>> = {
  'no-email': 'a sign-in was refused: the provider sends no e-mail address (claim "email")',
  unverified:
    'a sign-in was refused: the provider does not state that the e-mail address is verified (claim "email_verified")',
};

const linkFields = z.object({ code: z.string().regex(/^[\w-]{43}$/) });

/** People sign in as themselves: at a provider, or by a link. Registered under `/auth`, where the desk is. */
export function createSignInPlugin(options: SignInOptions): FastifyPluginAsync {
  const { db, tools, log, clock } = options;
  const { publicUrl } = tools;
  const rateLimit = createRateLimit(clock);
  const cookies = createCookies(publicUrl.startsWith('https:'));
  const providers = new Map(options.providers.map((one) => [one.id, createProvider(one, clock)]));
  // The other name of a service on this machine: its cookies are not sent to where the provider sends people back to.
  const publicHost = new URL(publicUrl).host;
  const otherHost = publicHost.replace(/^127\.0\.0\.1\b/, 'localhost');
  const redirectUriOf = (id: string) => `${publicUrl}/auth/callback/${id}`;

  const limit = (who: string, perMinute: number, person?: SigningPerson) => {
    if (!rateLimit.take(who, perMinute).allowed)
      throw new SignInRefused('limited', { ...(person && { person }) });
  };

  /** Makes the session of a person, in the transaction that found them; returns its token. */
  const begin = async (
    tx: ServiceTx,
    request: FastifyRequest,
    person: SigningPerson & { identityId?: string },
    provider: string | null,
  ): Promise<string> => {
    const now = clock.now();
    limit(`person ${person.workspaceId} ${person.personId}`, PER_PERSON, person);
    const { id, token } = await createSession(tx, tools, now, {
      workspaceId: person.workspaceId,
      personId: person.personId,
      identityId: person.identityId,
      address: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
      replaces: cookies.session(request),
    });
    await writeAudit(
      tx,
      { newId: tools.newId, now },
      {
        workspaceId: person.workspaceId,
        action: 'session.started',
        actor: { personId: person.personId },
        subjectId: id,
        reason: provider === null ? 'Signed in by a link.' : `Signed in with ${provider}.`,
      },
    );
    return token;
  };

  return async (scope) => {
    receiveForms(scope);
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    scope.setErrorHandler(async (error, request, reply) => {
      if (!(error instanceof SignInRefused)) throw error;
      const { code, cause, claims } = error;
      const { ip: address, id: requestId } = request;
      // An address that is refused again and again is told so, and fills neither the log nor the audit log.
      if (!rateLimit.take(`refused ${address}`, REFUSALS).allowed)
        return reply.redirect('/sign-in?reason=limited');
      log.warn(
        {
          code,
          err: cause,
          ...(claims && { claims }),
          address,
          requestId,
        },
        REFUSED_WORDS[code] ?? 'a sign-in was refused',
      );
      await auditRefusal(db, { newId: tools.newId, now: clock.now() }, error);
      return reply.redirect(`/sign-in?reason=${code}`);
    });

    scope.get('/providers', () => [...providers.values()].map(({ id, name }) => ({ id, name })));

    scope.get<ProviderRoute>('/start/:provider', async (request, reply) => {
      const provider = providerOf(request);
      limit(`start ${request.ip}`, STARTS);
      if (request.headers.host === otherHost && otherHost !== publicHost)
        return reply.redirect(`${publicUrl}${request.url}`);
      const returnTo = returnPath(request.query.returnTo, publicUrl);
      const { cookie, secrets } = await startFlow(db, tools, clock.now(), {
        provider: provider.id,
        returnTo,
      });
      const url = await orFailed(provider.authorizationUrl(redirectUriOf(provider.id), secrets));
      cookies.setFlow(reply, cookie, FLOW_SECONDS);
      return reply.redirect(url.href);
    });

    scope.get<ProviderRoute>('/callback/:provider', async (request, reply) => {
      const provider = providerOf(request);
      const cookie = cookies.flow(request);
      if (cookie === undefined) throw new SignInRefused('expired');
      const parameters = new URL(request.url, publicUrl).searchParams;
      // Of another sign-in, perhaps somebody else's: the one of this browser goes on.
      if (parameters.get('state') !== stateOfCookie(cookie)) throw new SignInRefused('failed');
      cookies.endFlow(reply);
      const flow = await takeFlow(db, clock.now(), { cookie, provider: provider.id });
      if (!flow) throw new SignInRefused('expired');
      const signedIn = await orFailed(
        provider.complete(redirectUriOf(provider.id), parameters, flow.secrets),
      );
      const token = await transaction(db, async (tx) =>
        begin(
          tx,
          request,
          await findPerson(tx, signedIn, { newId: tools.newId, now: clock.now() }),
          provider.name,
        ),
      );
      cookies.setSession(reply, token);
      return reply.redirect(flow.returnTo);
    });

    scope.get('/link', async (request, reply) => {
      const link = linkIn(request.query);
      const name = await transaction(db, async (tx) =>
        personName(tx, await readLink(tx, link.code, clock.now())),
      );
      return sendLinkPage(reply, { ...link, name });
    });

    const ownForm = {
      // Another site's form would sign people in as somebody else. Before its body is read.
      onRequest: async (request: FastifyRequest) => {
        if (!isOwnForm(request)) throw new SignInRefused('failed');
      },
    };
    scope.post('/link', ownForm, async (request, reply) => {
      const link = linkIn(request.body);
      const token = await transaction(db, async (tx) =>
        begin(tx, request, await useLink(tx, link.code, clock.now()), null),
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
  const { data } = linkFields.safeParse(fields);
  if (!data) throw new SignInRefused('expired');
  return data;
}

/** Turns the failure of a call to a provider into a refusal, whose reason is for the log. */
async function orFailed<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new SignInRefused('failed', { cause });
  }
}

/** Returns whether a form was sent from our own page: browsers send the origin with every posted form. */
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
