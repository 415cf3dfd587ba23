import type * as OpenId from 'openid-client';
import { z } from 'zod';

import { Cache } from '../../platform/cache.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';

/** An OpenID provider that people sign in with. */
export interface ProviderOptions {
  /** In the paths of `/auth`. */
  id: string;
  /** What the button says: "Sign in with …". */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Slack's claims name the account in chat. */
  isSlack: boolean;
}

/** What a provider says of a person who signed in. */
export interface SignedIn {
  issuer: string;
  subject: string;
  email?: string | undefined;
  /** The provider states that the address is the person's. */
  emailVerified: boolean;
  /** The account in Slack. */
  account?: { userId: string; teamId: string };
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
}

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 10;
/** The most by which the clocks of provider and service may differ. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** How long the provider's endpoints are used before they are read again. Its keys are read at each sign-in. */
const DISCOVERED_MS = 10 * 60_000;

const claims = z.object({
  email: z.string().max(320).optional().catch(undefined),
  email_verified: z.unknown().optional(),
  'https://slack.com/user_id': z.string().min(1).optional().catch(undefined),
  'https://slack.com/team_id': z.string().min(1).optional().catch(undefined),
});

/** Loaded at the first sign-in: the start need not wait for it. */
const openId = () => import('openid-client');

export function createProvider(options: ProviderOptions, clock: Clock): Provider {
  const { id, name, isSlack } = options;
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
      const { iss: issuer, sub: subject } = idToken;
      // Many providers put the e-mail address only there.
      const isComplete = idToken['email'] !== undefined;
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const said = claims.parse(
        isComplete || !hasMore ? idToken : await fetchUserInfo(configuration, tokens.access_token, subject),
      );
      const userId = said['https://slack.com/user_id'];
      const teamId = said['https://slack.com/team_id'];
      if (isSlack && (userId === undefined || teamId === undefined))
        throw new TypeError('Slack names the account of everyone who signs in');
      return {
        issuer,
        subject,
        email: said.email,
        emailVerified: said.email_verified === true,
        ...(isSlack && userId !== undefined && teamId !== undefined && { account: { userId, teamId } }),
      };
    },
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
  const metadata = await discovered.get(issuer, async () => {
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout: TIMEOUT_SECONDS,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    });
    return found.serverMetadata();
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
  if (isPlain) client.allowInsecureRequests(configuration);
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}
