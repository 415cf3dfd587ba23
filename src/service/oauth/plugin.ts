import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Caller, ServiceDb, Tools } from '../handler.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import type { KnownCallers } from '../http/known-callers.ts';
import { createCookies } from '../sign-in/cookies.ts';
import { personName } from '../sign-in/find-person.ts';
import { findClient, isRegistered, type OAuthClient, registerClient } from './clients.ts';
import { sendConsentPage, sendRefusal } from './consent-page.ts';
import { OAuthError } from './error.ts';
import { createGrant, exchangeCode, refreshTokens, revokeToken, type Tokens } from './grants.ts';
import { type Scope, SCOPES, scopesIn } from './scopes.ts';

export interface OAuthOptions {
  db: ServiceDb;
  tools: Tools;
  keys: KnownCallers;
  clock: Clock;
}

/** A minute's registrations, pages and answers, and requests for tokens, of one address. Counted per process. */
const REGISTRATIONS = 10;
const PAGES = 60;
const TOKENS = 120;
const BODY_BYTES = 4_096;
/** The answer to the page has what its address had, which the server takes up to 16 KiB. */
const FORM_BYTES = 16_384;

/** Texts of the database have no NUL. */
const short = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => !text.includes('\0'));
/** The code challenge (RFC 7636): the digest of the verifier that only the program knows. */
const challenge = z.string().regex(/^[\w-]{43}$/);
const verifier = z.string().regex(/^[\w.~-]{43,128}$/);

const authorizeFields = z.object({
  response_type: short.optional(),
  client_id: short,
  redirect_uri: short,
  code_challenge: challenge.optional().catch(undefined),
  code_challenge_method: short.optional(),
  scope: z.string().max(500).optional(),
  state: z.string().max(2_000).optional(),
  resource: short.optional(),
});
type Authorize = z.output<typeof authorizeFields>;

const tokenFields = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: short,
    redirect_uri: short,
    client_id: short,
    code_verifier: verifier,
    resource: short.optional(),
  }),
  z.object({
    grant_type: z.literal('refresh_token'),
    refresh_token: short,
    client_id: short,
    resource: short.optional(),
  }),
]);
const revokeFields = z.object({ token: short, client_id: short });

/** Where the metadata of the tools' endpoint is (RFC 9728). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/**
 * OAuth 2.1 for the AI tools: a program registers, a person allows it what the page says, and it gets tokens that end
 * after an hour and are renewed by ones that work once. Registered at the root of the desk's origin.
 */
export function createOAuthPlugin({ db, tools, keys, clock }: OAuthOptions): FastifyPluginAsync {
  const { publicUrl } = tools;
  const resource = `${publicUrl}/mcp`;
  const cookies = createCookies(publicUrl.startsWith('https:'));
  const rateLimit = createRateLimit(clock);
  const context = () => ({ newId: tools.newId, randomBytes: tools.randomBytes, now: clock.now() });

  const hasLeft = (what: string, { ip }: FastifyRequest, perMinute: number) =>
    rateLimit.take(`${what} ${ip}`, perMinute).allowed;
  const limit = (what: string, request: FastifyRequest, perMinute: number) => {
    if (!hasLeft(what, request, perMinute))
      throw new OAuthError('temporarily_unavailable', 'Too many requests. Wait a minute.');
  };

  /** Returns the person who is signed in at the desk in this browser. */
  const personOf = async (request: FastifyRequest): Promise<Caller | undefined> => {
    const token = cookies.session(request);
    const caller = token === undefined ? undefined : await keys.callerOf(token);
    return caller?.session && caller.personId !== null ? caller : undefined;
  };

  const requireResource = (named: string | undefined) => {
    if (named !== undefined && named.replace(/\/$/, '') !== resource)
      throw new OAuthError('invalid_target', `The only resource here is ${resource}.`);
  };

  /** Returns what a program asks for; throws an OAuthError that says what is wrong with it. */
  const askedFor = (asked: Authorize): { scopes: Scope[]; codeChallenge: string } => {
    if (asked.response_type !== 'code')
      throw new OAuthError('unsupported_response_type', 'response_type is code.');
    if (asked.code_challenge === undefined || asked.code_challenge_method !== 'S256')
      throw new OAuthError('invalid_request', 'Send code_challenge with code_challenge_method S256.');
    requireResource(asked.resource);
    const scopes = scopesIn(asked.scope);
    if (!scopes) throw new OAuthError('invalid_scope', `The scopes are ${Object.keys(SCOPES).join(', ')}.`);
    return { scopes, codeChallenge: asked.code_challenge };
  };

  /** Sends the browser back to the program. */
  const back = (reply: FastifyReply, { redirect_uri, state }: Authorize, answer: Record<string, string>) => {
    const url = new URL(redirect_uri);
    for (const [name, value] of Object.entries({ ...answer, ...(state && { state }), iss: publicUrl }))
      url.searchParams.set(name, value);
    return reply.redirect(url.href, 303);
  };

  /**
   * Does the work of a request of a person for a program that is registered with this address. What is wrong with the
   * request is told to the program once a person has answered the page. Before that it is only shown: anybody may
   * register a program, and a link to here must not lead elsewhere by itself (RFC 9700, 4.11.2).
   */
  const authorize = async (
    request: FastifyRequest,
    reply: FastifyReply,
    fields: unknown,
    work: (
      asked: Authorize & { client: OAuthClient; scopes: Scope[]; codeChallenge: string },
    ) => Promise<unknown>,
  ): Promise<unknown> => {
    if (!hasLeft('authorize', request, PAGES))
      return sendRefusal(reply, 'There were too many requests from here. Wait a minute, and try again.');
    const { data: asked } = authorizeFields.safeParse(fields);
    // Never by a redirect: the address is not known to be the program's.
    if (!asked)
      return sendRefusal(
        reply,
        'It asked wrongly: client_id and redirect_uri are needed, and no field may be longer than 500 characters, or 2,000 for state.',
      );
    const client = await findClient(db, asked.client_id);
    if (!client)
      return sendRefusal(
        reply,
        'It is not registered here, or not any more. Connect it again from the program.',
      );
    if (!isRegistered(client, asked.redirect_uri))
      return sendRefusal(reply, 'It asks to send you to an address that it did not register.');
    try {
      return await work({ ...asked, client, ...askedFor(asked) });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      if (request.method === 'GET') return sendRefusal(reply, `It asked wrongly. ${error.message}`);
      return back(reply, asked, { error: error.code, error_description: error.message });
    }
  };

  return async (scope) => {
    scope.removeAllContentTypeParsers();
    receive(scope, 'application/x-www-form-urlencoded', (text) =>
      Object.fromEntries(new URLSearchParams(text)),
    );
    receive(scope, 'application/json', (text) => JSON.parse(text) as unknown);
    scope.setErrorHandler(async (error, _request, reply) => {
      if (!(error instanceof OAuthError)) throw error;
      return reply.code(error.status).send({ error: error.code, error_description: error.message });
    });
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    for (const path of ['/.well-known/oauth-protected-resource', RESOURCE_METADATA_PATH])
      scope.get(path, () => ({
        resource,
        authorization_servers: [publicUrl],
        scopes_supported: Object.keys(SCOPES),
        bearer_methods_supported: ['header'],
        resource_name: 'deskbridge',
      }));
    scope.get('/.well-known/oauth-authorization-server', () => ({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/oauth/token`,
      registration_endpoint: `${publicUrl}/oauth/register`,
      revocation_endpoint: `${publicUrl}/oauth/revoke`,
      scopes_supported: Object.keys(SCOPES),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    }));

    scope.post('/oauth/register', { bodyLimit: BODY_BYTES }, async (request, reply) => {
      limit('register', request, REGISTRATIONS);
      const client = await registerClient(db, tools, clock.now(), request.body);
      return reply.code(201).send({
        client_id: client.id,
        client_name: client.name,
        redirect_uris: client.redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        client_id_issued_at: Math.floor(clock.now().getTime() / 1_000),
      });
    });

    scope.get('/oauth/authorize', (request, reply) =>
      authorize(request, reply, request.query, async ({ client, scopes, codeChallenge: _, ...asked }) => {
        const caller = await personOf(request);
        if (!caller) return reply.redirect(`/sign-in?returnTo=${encodeURIComponent(request.url)}`);
        const { workspaceId, personId } = caller;
        const person = await transaction(db, (tx) =>
          personName(tx, { workspaceId, personId: personId ?? '' }),
        );
        const fields = Object.entries(asked).filter(([, value]) => value !== undefined);
        return sendConsentPage(reply, {
          clientName: client.name,
          redirectUri: asked.redirect_uri,
          person,
          scopes,
          fields: Object.fromEntries(fields) as Record<string, string>,
        });
      }),
    );

    scope.post(
      '/oauth/authorize',
      {
        bodyLimit: FORM_BYTES,
        // Another site's form would allow what nobody has read. Before its body is read.
        onRequest: async (request, reply) => {
          if (!isOwnForm(request))
            await sendRefusal(reply, 'The answer did not come from this page. Start again from the program.');
          else if (!(await personOf(request)))
            await sendRefusal(reply, 'You are signed out. Start again from the program.');
        },
      },
      (request, reply) =>
        authorize(request, reply, request.body, async ({ client, scopes, codeChallenge, ...asked }) => {
          const caller = await personOf(request);
          if (!caller) return sendRefusal(reply, 'You are signed out. Start again from the program.');
          const { decision } = request.body as { decision?: unknown };
          if (decision !== 'allow') throw new OAuthError('access_denied', 'The person did not allow it.');
          const redirectUri = asked.redirect_uri;
          const code = await transaction(db, (tx) =>
            createGrant(tx, context(), caller, { client, scopes, codeChallenge, redirectUri }),
          );
          return back(reply, asked, { code });
        }),
    );

    scope.post('/oauth/token', { bodyLimit: BODY_BYTES }, async (request, reply) => {
      limit('token', request, TOKENS);
      const { data } = tokenFields.safeParse(request.body);
      if (!data) throw refusedRequest(request.body);
      requireResource(data.resource);
      const tokens = await transaction(db, (tx) =>
        data.grant_type === 'authorization_code'
          ? exchangeCode(tx, context(), {
              code: data.code,
              clientId: data.client_id,
              redirectUri: data.redirect_uri,
              codeVerifier: data.code_verifier,
            })
          : refreshTokens(tx, context(), { refreshToken: data.refresh_token, clientId: data.client_id }),
      );
      if (!tokens)
        throw new OAuthError('invalid_grant', 'This was exchanged before, so what it gave has been ended.');
      return reply.send(answerOf(tokens));
    });

    scope.post('/oauth/revoke', { bodyLimit: BODY_BYTES }, async (request, reply) => {
      limit('token', request, TOKENS);
      const { data } = revokeFields.safeParse(request.body);
      if (!data) throw new OAuthError('invalid_request', 'Send token and client_id.');
      await transaction(db, (tx) =>
        revokeToken(tx, context(), { token: data.token, clientId: data.client_id }),
      );
      return reply.send({});
    });
  };
}

function answerOf({ accessToken, refreshToken, expiresInSeconds, scopes }: Tokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}

function refusedRequest(body: unknown): OAuthError {
  const { grant_type: type } = (body ?? {}) as { grant_type?: unknown };
  return type === 'authorization_code' || type === 'refresh_token'
    ? new OAuthError('invalid_request', `A field of ${type} is missing or malformed.`)
    : new OAuthError('unsupported_grant_type', 'grant_type is authorization_code or refresh_token.');
}

/** Returns whether a form was sent from our own page: browsers send the origin with every posted form. */
function isOwnForm({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(headers.origin ?? '')?.host === headers.host;
}

/** A body that cannot be read is one without fields. */
function receive(scope: FastifyInstance, type: string, parse: (text: string) => unknown): void {
  scope.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parse(String(body)));
    } catch {
      done(null, {});
    }
  });
}
