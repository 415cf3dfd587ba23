import type * as OpenId from 'openid-client';
import { z } from 'zod';

import { Cache } from '../../platform/cache.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';

/** An OpenID provider that people sign in with. */
export interface ProviderOptions {
  /** Its name in paths below `/auth`. */
  id: string;
  /** The name on the button: "Sign in with …". */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Slack's claims name the account in chat. */
  isSlack: boolean;
  /** The e-mail of the person whom the provider's page should offer first (OpenID Connect Core, 3.1.2.1). */
  loginHint?: string;
}

/** A problem that keeps users from signing in: one sentence, and another with what to do. */
export interface SettingProblem {
  says: string;
  fix: string;
}

/** The claims of a provider about a user who signed in. */
export interface SignedIn {
  issuer: string;
  subject: string;
  email?: string | undefined;
  /** The provider states that the address is the person's. */
  emailVerified: boolean;
  /** The names of the claims that it sent, for the log: what is missing is the provider's to add. */
  claims: readonly string[];
  /** The account in Slack. */
  account?: { userId: string; teamId: string; enterpriseId?: string | undefined };
}

/** The secrets of one sign-in. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface Provider {
  readonly id: string;
  readonly name: string;
  /** Returns where a person is sent to sign in. */
  authorizationUrl(redirectUri: string, secrets: FlowSecrets): Promise<URL>;
  /**
   * Exchanges the code in the parameters that the person came back with, and verifies the ID token.
   * @throws if the provider refuses, cannot be reached, or a check fails.
   */
  complete(redirectUri: string, parameters: URLSearchParams, secrets: FlowSecrets): Promise<SignedIn>;
  /** Returns what is wrong with the settings of this provider; empty if nothing is. Never rejects. */
  problems(redirectUri: string): Promise<SettingProblem[]>;
}

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;
/** The most by which the clocks of provider and service may differ. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** How long the provider's endpoints are used before they are read again. Its keys are read at each sign-in. */
const DISCOVERED_MS = 10 * 60_000;

/** Bytes of a provider's answer, after decompression; key sets of large providers have some 10,000. */
const ANSWER_BYTES = 1024 * 1024;

const claims = z.object({
  email: z.string().min(1).max(320).optional().catch(undefined),
  email_verified: z.unknown().optional(),
  'https://slack.com/user_id': z.string().min(1).optional().catch(undefined),
  'https://slack.com/team_id': z.string().min(1).optional().catch(undefined),
  'https://slack.com/enterprise_id': z.string().min(1).optional().catch(undefined),
});

/** Loaded at the first sign-in: the start need not wait for it. */
const openId = () => import('openid-client');

export function createProvider(options: ProviderOptions, clock: Clock): Provider {
  const { id, name, isSlack, loginHint } = options;
  const discovered = new Cache<OpenId.ServerMetadata>(1, { clock, ms: DISCOVERED_MS });
  // Slack's setting for PKCE makes an app a public client, without a secret, for ever
  // (https://docs.slack.dev/authentication/using-pkce). The nonce protects the code there.
  const usesPkce = !isSlack;

  return {
    id,
    name,
    async authorizationUrl(redirectUri, { state, nonce, codeVerifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await openId();
      return buildAuthorizationUrl(await configurationOf(options, discovered, clock), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...(usesPkce && {
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        }),
      });
    },
    async complete(redirectUri, parameters, { state, nonce, codeVerifier }) {
      const { authorizationCodeGrant, fetchUserInfo } = await openId();
      const configuration = await configurationOf(options, discovered, clock);
      const back = new URL(redirectUri);
      back.search = parameters.toString();
      const tokens = await authorizationCodeGrant(configuration, back, {
        expectedState: state,
        expectedNonce: nonce,
        ...(usesPkce && { pkceCodeVerifier: codeVerifier }),
      });
      const idToken = tokens.claims();
      if (!idToken) throw new TypeError('a nonce is checked, so there is an ID token');
      const { iss: issuer, sub: subject, iat } = idToken;
      if (iat > clock.now().getTime() / 1000 + CLOCK_TOLERANCE_SECONDS)
        throw new TypeError('the ID token was issued in the future');
      let said = claims.parse(idToken);
      const names = new Set(Object.keys(idToken));
      // Many providers put the e-mail address, or that it is verified, only into the answer of the userinfo endpoint.
      const isComplete = said.email !== undefined && said.email_verified === true;
      if (!isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined) {
        const more = await fetchUserInfo(configuration, tokens.access_token, subject).catch(
          (error: unknown) => {
            if (said.email === undefined) throw error;
            return {};
          },
        );
        for (const claim of Object.keys(more)) names.add(claim);
        said = mergeClaims(said, claims.parse(more));
      }
      const userId = said['https://slack.com/user_id'];
      const teamId = said['https://slack.com/team_id'];
      const enterpriseId = said['https://slack.com/enterprise_id'];
      if (isSlack && (userId === undefined || teamId === undefined))
        throw new TypeError('Slack names the account of everyone who signs in');
      return {
        issuer,
        subject,
        email: said.email,
        emailVerified: said.email_verified === true,
        claims: [...names].toSorted(),
        ...(isSlack &&
          userId !== undefined &&
          teamId !== undefined && { account: { userId, teamId, enterpriseId } }),
      };
    },
    async problems(redirectUri) {
      try {
        const configuration = await configurationOf(options, discovered, clock);
        return await refusedSettings(options, configuration, redirectUri);
      } catch (error) {
        return [discoveryProblem(options, error)];
      }
    },
  };
}

type Claims = z.output<typeof claims>;

/**
 * Returns the claims of the ID token, with those of the userinfo endpoint that it lacks; an address and its state stay
 * together.
 */
function mergeClaims(idToken: Claims, userinfo: Claims): Claims {
  const isBetter =
    userinfo.email !== undefined && (idToken.email === undefined || userinfo.email_verified === true);
  const { email, email_verified } = isBetter ? userinfo : idToken;
  return {
    ...userinfo,
    ...idToken,
    email,
    email_verified,
  };
}

/** A new configuration each time: openid-client keeps a provider's keys with it, and would miss that they changed. */
async function configurationOf(
  { issuer, clientId, clientSecret }: ProviderOptions,
  discovered: Cache<OpenId.ServerMetadata>,
  clock: Clock,
): Promise<OpenId.Configuration> {
  const client = await openId();
  // Only of a provider on this machine (start/config.ts).
  const isPlain = issuer.startsWith('http:');
  const discover = async (url: string) => {
    const found = await client.discovery(new URL(url), clientId, undefined, undefined, {
      timeout: TIMEOUT_SECONDS,
      [client.customFetch]: boundedFetch,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    });
    return found.serverMetadata();
  };
  const metadata = await discovered.get(issuer, async () => {
    try {
      return await discover(issuer);
    } catch (error) {
      // The two spellings have one discovery document; the provider's own is what its tokens say.
      const named = namedIssuer(error);
      if (named === undefined || URL.parse(named)?.href !== otherSpelling(issuer)) throw error;
      return discover(named);
    }
  });
  const { token_endpoint_auth_methods_supported: methods } = metadata;
  const authentication = methods?.includes('client_secret_post')
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret);
  const skewMs = clock.now().getTime() - systemClock.now().getTime();
  const configuration = new client.Configuration(
    metadata,
    clientId,
    {
      [client.clockSkew]: Math.round(skewMs / 1000),
      [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    },
    authentication,
  );
  configuration.timeout = TIMEOUT_SECONDS;
  configuration[client.customFetch] = boundedFetch;
  if (isPlain) client.allowInsecureRequests(configuration);
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Returns the issuer with a slash at its end if it has none, else without it. */
function otherSpelling(issuer: string): string {
  const { href } = new URL(issuer);
  return href.endsWith('/') ? href.slice(0, -1) : `${href}/`;
}

const Mismatch = z.object({
  code: z.literal('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'),
  cause: z.object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.string() }) }),
});

/** Returns the issuer that a provider's discovery document names, if the error is that it is not the expected one. */
function namedIssuer(error: unknown): string | undefined {
  return Mismatch.safeParse(error).data?.cause.body.issuer;
}

/** Like `fetch`, but rejects with a TypeError for a response that is too large. */
async function boundedFetch(url: string, options: OpenId.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > ANSWER_BYTES)
      throw new TypeError(`an answer of the provider is larger than ${ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(parts), {
    status,
    statusText,
    headers,
  });
}

/** Returns what to say of a provider that cannot be read. */
function discoveryProblem({ name, issuer }: ProviderOptions, error: unknown): SettingProblem {
  const named = namedIssuer(error);
  if (named !== undefined)
    return {
      says: `The provider of ${name} calls itself ${named}, and the issuer is set to ${issuer}.`,
      fix: `Set the issuer to ${named}.`,
    };
  const { status } = Status.safeParse(error).data?.cause ?? {};
  if (status !== undefined && status >= 300)
    return {
      says: `${issuer} answered ${status} where the discovery document of ${name} is expected (/.well-known/openid-configuration).`,
      fix: 'Correct the issuer.',
    };
  const reason = networkCode(error) ?? 'no usable answer';
  return {
    says: `The provider of ${name} cannot be read at ${issuer} (${reason}).`,
    fix: 'Check the issuer and that this machine reaches it.',
  };
}

/** A response with another status than was expected is the cause. */
const Status = z.object({ cause: z.object({ status: z.number() }) });
const Coded = z.object({ code: z.string().regex(/^[A-Z][A-Z0-9_]+$/) });

/** Returns the code of an error or of its causes, the innermost first: `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return networkCode(error.cause) ?? Coded.safeParse(error).data?.code;
}

/** Errors with which a provider shows that it knows the client and the redirect address, but nobody is signed in. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);
/** Errors of a token endpoint that does not take the client's id or secret; the last two are Slack's. */
const CLIENT_REFUSED: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_client_id',
  'bad_client_secret',
]);

/**
 * Asks the provider, without a person, whether it takes the client's id, the redirect address and the secret. A
 * provider must not send people to an address that it does not know (RFC 6749, 4.1.2.1), and answers `prompt=none` at
 * once (OpenID Connect Core, 3.1.2.6). What it answers otherwise proves nothing.
 */
async function refusedSettings(
  { name, clientId, isSlack }: ProviderOptions,
  configuration: OpenId.Configuration,
  redirectUri: string,
): Promise<SettingProblem[]> {
  const client = await openId();
  const problems: SettingProblem[] = [];
  const asked = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: SCOPE,
    prompt: 'none',
    state: client.randomState(),
    nonce: client.randomNonce(),
    ...(!isSlack && {
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    }),
  });
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  const answer = await fetch(asked, { redirect: 'manual', signal });
  await answer.body?.cancel();
  const sentTo = answer.headers.get('location');
  const error = sentTo?.startsWith(redirectUri) ? URL.parse(sentTo)?.searchParams.get('error') : undefined;
  if (error && !NOBODY_THERE.has(error))
    problems.push({
      says: `The provider of ${name} refuses to sign people in for ${clientId} (${error}).`,
      fix: `Allow the client the authorization code flow and the scopes ${SCOPE}.`,
    });
  else if (answer.status >= 400 && answer.status < 500)
    problems.push({
      says: `The provider of ${name} does not know the client id ${clientId} or the redirect address ${redirectUri} (it answered ${answer.status}).`,
      fix: 'Register both there.',
    });
  const refusal = await tokenRefusal(configuration, redirectUri);
  if (refusal !== undefined && CLIENT_REFUSED.has(refusal))
    problems.push({
      says: `The provider of ${name} does not take the client id and secret (${refusal}).`,
      fix: 'Copy both again.',
    });
  return problems;
}

/** Returns the error with which the token endpoint refuses a code that nobody got. */
async function tokenRefusal(
  configuration: OpenId.Configuration,
  redirectUri: string,
): Promise<string | undefined> {
  const { genericGrantRequest, ResponseBodyError } = await openId();
  try {
    await genericGrantRequest(configuration, 'authorization_code', {
      code: 'a-check-of-the-settings',
      redirect_uri: redirectUri,
    });
    return undefined;
  } catch (error) {
    return error instanceof ResponseBodyError ? error.error : undefined;
  }
}
