import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import Provider, { type Configuration } from 'oidc-provider';
import { onTestFinished } from 'vitest';

import { memoryAdapter } from './memory.ts';

export const CLIENT = { clientId: 'deskbridge', clientSecret: 'a-client-secret-of-the-test' };
/** Of a test's service, whose public URL has no port. */
export const REDIRECT_URIS = ['oidc', 'slack'].map((id) => `http://127.0.0.1/auth/callback/${id}`);

export type Claims = Record<string, unknown>;

/** Signs a token of the library. */
type Issue = (this: unknown, context: { use: string }) => Promise<string>;

interface SigningKey {
  kid: string;
  key: KeyObject;
}

/** Of every provider, until it rotates its keys: making one takes a tenth of a second. */
const FIRST_KEY = newKey();

/** A real OpenID provider on a port of its own, at which `account` signs in without being asked. */
export class IdentityProvider {
  readonly issuer: string;
  /** The `sub` that signs in next, and what is known of each. */
  account = 'mira';
  readonly claims = new Map<string, Claims>();
  /** Changes the claims of ID tokens before they are signed. */
  forge: (claims: Claims) => Claims = (claims) => claims;
  /** Signs ID tokens instead of the provider's key. */
  forgedKey: SigningKey | undefined;
  /** Puts claims into the ID token, not only behind the userinfo endpoint. */
  claimsInIdToken = true;
  requiresPkce = true;
  readonly #adapter = memoryAdapter();
  #key = FIRST_KEY;
  #provider: Provider;

  constructor(issuer: string) {
    this.issuer = issuer;
    this.#provider = this.#create();
  }

  /** Replaces the signing key, as providers do now and then; returns the old one. */
  rotateKeys(): SigningKey {
    const old = this.#key;
    this.#key = newKey();
    this.restart();
    return old;
  }

  /** Takes changed settings into account. */
  restart(): void {
    this.#provider = this.#create();
  }

  /** Lets a code expire that the provider has given out. */
  async expireCode(value: string): Promise<void> {
    const code = await this.#provider.AuthorizationCode.find(value);
    if (!code) throw new Error('no such code');
    code.exp = 1;
    await code.save();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/interaction/')) await this.#signIn(request, response);
    else await this.#provider.callback()(request, response);
  }

  /** What a person does on the provider's page: signs in, and consents. */
  async #signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await this.#provider.interactionDetails(request, response);
    const grant = new this.#provider.Grant({
      accountId: this.account,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope(String(params['scope']));
    const grantId = await grant.save();
    await this.#provider.interactionFinished(request, response, {
      login: { accountId: this.account },
      consent: { grantId },
    });
  }

  #create(): Provider {
    const { key, kid } = this.#key;
    const configuration: Configuration = {
      adapter: this.#adapter,
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: REDIRECT_URIS,
        },
      ],
      claims: {
        openid: [
          'sub',
          'https://slack.com/user_id',
          'https://slack.com/team_id',
          'https://slack.com/enterprise_id',
        ],
        email: ['email', 'email_verified'],
        profile: ['name'],
      },
      conformIdTokenClaims: !this.claimsInIdToken,
      cookies: { keys: ['the test'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: () => ({ sub, ...this.claims.get(sub) }),
      }),
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] },
      pkce: { required: () => this.requiresPkce },
      ttl: {
        IdToken: 300,
        Grant: 600,
        Session: 600,
        Interaction: 600,
        AccessToken: 600,
        AuthorizationCode: 60,
      },
    };
    const provider = new Provider(this.issuer, configuration);
    const { prototype } = provider.IdToken;
    const issue = Object.getOwnPropertyDescriptor(prototype, 'issue')?.value as Issue;
    const forged = (token: string) => this.#forged(token);
    const forge: Issue = async function (context) {
      const token = await issue.call(this, context);
      return context.use === 'idtoken' ? forged(token) : token;
    };
    Object.defineProperty(prototype, 'issue', { value: forge });
    return provider;
  }

  #forged(token: string): string {
    const [, payload = ''] = token.split('.');
    const claims = this.forge(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims);
    const { kid, key } = this.forgedKey ?? this.#key;
    const signed = [{ alg: 'RS256', kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }
}

export function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: crypto.randomUUID(), key: privateKey };
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const provider = new IdentityProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.on('request', (request, response) => {
    provider.handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return provider;
}
