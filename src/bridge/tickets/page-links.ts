import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The setting that stores the key for signing links to ticket pages. */
export const PAGE_KEY = 'page-key';
export const PageKey = z.string().min(32);

/** Path of ticket pages, below the web server's root. */
export const PAGE_PATH = '/tickets';

/** 128 bits: unguessable, and the link stays short. */
const SIGNATURE_CHARACTERS = 22;

/** All links of one period expire at the same time, so that what contains a link need not change daily. */
const PERIOD_MS = 30 * 24 * 60 * 60_000;
/** Including the period in which a link is made: it works for at least 90 days. */
const PERIODS = 4;

/** Days for which a link works, at least. */
export const LINK_DAYS = 90;

/** Returns the signature of a ticket page's link, valid for this reference and for a limited time. */
export function pageKeyOf(secret: string, code: string, now: Date): string {
  const until = periodOf(now) + PERIODS;
  return `${until.toString(36)}.${signatureOf(secret, code, until)}`;
}

/** @param key the link's signature, possibly invalid. */
export function isGood(secret: string, code: string, key: unknown, now: Date): boolean {
  const [, period = '', signature = ''] = /^([0-9a-z]{1,6})\.([\w-]{22})$/.exec(String(key)) ?? [];
  const until = Number.parseInt(period, 36);
  if (typeof key !== 'string' || !(until > periodOf(now))) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, code, until)));
}

function signatureOf(secret: string, code: string, until: number): string {
  const digest = createHmac('sha256', secret)
    .update(`ticket page ${code} until ${until}`)
    .digest('base64url');
  return digest.slice(0, SIGNATURE_CHARACTERS);
}

function periodOf(now: Date): number {
  return Math.floor(now.getTime() / PERIOD_MS);
}

/** Returns the URL of a ticket's page. */
export function pageUrl(publicUrl: string, secret: string, code: string, now: Date): string {
  return `${publicUrl}${PAGE_PATH}/${encodeURIComponent(code)}?k=${pageKeyOf(secret, code, now)}`;
}

/** Returns the reference in the URL of a ticket's page, signed or not; undefined for any other URL. */
export function codeOfPage(publicUrl: string, address: string): string | undefined {
  const url = URL.parse(address);
  const base = URL.parse(`${publicUrl}${PAGE_PATH}/`);
  if (!url || !base || url.origin !== base.origin || !url.pathname.startsWith(base.pathname))
    return undefined;
  const code = url.pathname.slice(base.pathname.length);
  return /^[A-Za-z][A-Za-z0-9]{0,9}-\d{1,9}$/.test(code) ? code.toUpperCase() : undefined;
}
