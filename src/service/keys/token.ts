import { hash, timingSafeEqual } from 'node:crypto';

/** Bytes of a made key's secret part. */
const SECRET_BYTES = 32;
const ID_BYTES = 6;
/** How much of a key its list shows. */
const PREFIX_LENGTH = 12;

/**
 * A new key: `dbk_<short id>_<secret>`. The kind and the short id can be read by people and secret scanners; the
 * secret is 256 random bits, so one fast hash protects it at rest.
 */
export function makeToken(randomBytes: (length: number) => Buffer): string {
  return `dbk_${randomBytes(ID_BYTES).toString('hex')}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The part of a key that its list shows: of a short given one, less than half. */
export function visiblePrefix(token: string): string {
  return token.slice(0, Math.min(PREFIX_LENGTH, Math.floor(token.length / 3)));
}

/** Takes the same time whether the digests differ in their first byte or their last. */
export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
