import { hash, timingSafeEqual } from 'node:crypto';

/** The header of the specification, Authentication, in lower case as in Node. */
export const TOKEN_HEADER = 'x-service-api-token';
/** For clients that cannot set headers; the header has priority. */
export const TOKEN_PARAMETER = 'apiKey';

/** Bytes of the secret part of a generated key. */
const SECRET_BYTES = 32;
const ID_BYTES = 6;
/** Number of characters of a key shown in lists. */
const PREFIX_LENGTH = 12;

/** The start of generated keys, of the tokens of sessions, and of those of OAuth. */
type TokenPrefix = 'dbk' | 'dbs' | 'dba';

/**
 * Generates a key or a session's token: `dbk_<short id>_<secret>`. People and secret scanners recognise the prefix and
 * the short id; the secret is 256 random bits, so one fast hash protects it at rest.
 */
export function makeToken(randomBytes: (length: number) => Buffer, prefix: TokenPrefix = 'dbk'): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('hex')}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Returns the part of a key that lists show: less than half of a short one. */
export function visiblePrefix(token: string): string {
  return token.slice(0, Math.min(PREFIX_LENGTH, Math.floor(token.length / 3)));
}

/** Compares in constant time. */
export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compared if nothing has the digest, so that an unknown token takes as long as a known one. */
export const NO_DIGEST = Buffer.alloc(32);
