import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds a signed message may be older or newer than the receiver's clock (Standard Webhooks 1.0, both ways). */
export const SIGNATURE_WINDOW_SECONDS = 300;

export interface SignedParts {
  id: string;
  /** Unix seconds, as sent in the header. */
  timestamp: string;
  /** The raw bytes of the body: after decoding, two different bodies could share one signature. */
  body: Uint8Array;
}

/**
 * Returns the bytes of a secret: `whsec_` + base64 is decoded; any other secret is its UTF-8 bytes (docs/api.md,
 * Webhooks).
 */
export function secretBytes(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

/** Returns the value of `webhook-signature`: one `v1,…` entry per secret, newest first. */
export function sign(parts: SignedParts, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${mac(parts, secret).toString('base64')}`).join(' ');
}

/**
 * Returns whether any entry of `signature` was made with any of the secrets. Compares in constant time, and the text
 * itself: Base64 has several spellings of the same bytes, and only one was sent.
 */
export function verifySignature(parts: SignedParts, signature: string, secrets: readonly string[]): boolean {
  const expected = secrets.map((secret) => Buffer.from(mac(parts, secret).toString('base64')));
  return signature.split(' ').some((entry) => {
    const [version, value] = entry.split(',', 2);
    if (version !== 'v1' || value === undefined) return false;
    const given = Buffer.from(value);
    return expected.some((known) => known.length === given.length && timingSafeEqual(known, given));
  });
}

/** Returns whether `timestamp` (Unix seconds) lies within the window around `now`, on both sides. */
export function isFresh(timestamp: string, now: Date): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= SIGNATURE_WINDOW_SECONDS;
}

/**
 * Returns the value of `x-slack-signature` (docs.slack.dev/authentication/verifying-requests-from-slack): `v0=` and
 * hex.
 */
export function signSlack(timestamp: string, body: Uint8Array, secret: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/** Returns whether a request was signed with the app's signing secret; compares in constant time. */
export function verifySlack(timestamp: string, body: Uint8Array, signature: string, secret: string): boolean {
  const expected = Buffer.from(signSlack(timestamp, body, secret));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function mac({ id, timestamp, body }: SignedParts, secret: string): Buffer {
  return createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.`).update(body).digest();
}
