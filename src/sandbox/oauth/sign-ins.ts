import { createHash, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

import type { Clock } from '../../platform/clock.ts';

/** What a person lets an app know about them. */
export interface Granted {
  teamId: string;
  userId: string;
  scopes: readonly string[];
}

interface SigningKey {
  privateKey: KeyObject;
  jwk: Record<string, unknown> & { kid: string };
}

/** docs.slack.dev/authentication/sign-in-with-slack, "Response": `exp` is five minutes after `iat`. */
const ID_TOKEN_SECONDS = 300;

/**
 * The state of Sign in with Slack. Unlike everything else it lives in memory: a restart ends sign-ins that are not
 * complete, and makes a new key, as providers do now and then.
 */
export class SignIns {
  readonly #nonces = new Map<string, string | undefined>();
  readonly #granted = new Map<string, Granted>();
  readonly #clock: Clock;
  #key: Promise<SigningKey> | undefined;

  /** @param clock the app's: it checks the times of an ID token, and does not move with the workspace's. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the nonce of the sign-in that a code is for. */
  start(code: string, nonce: string | undefined): void {
    this.#nonces.set(code, nonce);
  }

  /** Whether a code comes from `/openid/connect/authorize`. */
  isStarted(code: string): boolean {
    return this.#nonces.has(code);
  }

  /** Completes the sign-in of a code: its token opens openid.connect.userInfo. Returns its nonce. */
  complete(code: string, token: string, granted: Granted): string | undefined {
    const nonce = this.#nonces.get(code);
    this.#nonces.delete(code);
    this.#granted.set(token, granted);
    return nonce;
  }

  grantedBy(token: unknown): Granted | undefined {
    return typeof token === 'string' ? this.#granted.get(token) : undefined;
  }

  /** The public keys (JWKS). */
  async keys(): Promise<{ keys: object[] }> {
    const { jwk } = await this.#signingKey();
    return { keys: [jwk] };
  }

  /** Returns a signed ID token with these claims and the times of now. */
  async idToken(
    claims: { iss: string; sub: string; aud: string } & Record<string, unknown>,
  ): Promise<string> {
    const { privateKey, jwk } = await this.#signingKey();
    const iat = Math.floor(this.#clock.now().getTime() / 1000);
    const { iss, sub, aud, ...rest } = claims;
    const payload = { iss, sub, aud, exp: iat + ID_TOKEN_SECONDS, iat, auth_time: iat, ...rest };
    const signed = [{ typ: 'JWT', alg: 'RS256', kid: jwk.kid }, payload].map(base64Url).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  }

  #signingKey(): Promise<SigningKey> {
    this.#key ??= makeKey();
    return this.#key;
  }
}

async function makeKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const { kty, n, e } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(n)).digest('hex').slice(0, 40);
  return { privateKey, jwk: { e, n, alg: 'RS256', kid, kty, use: 'sig' } };
}

function base64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The `at_hash` of an ID token: half of the access token's digest (OpenID Connect Core, 3.1.3.6). */
export function accessTokenHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}
