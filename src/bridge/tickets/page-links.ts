import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The setting that holds the key by which links to tickets' pages are signed. */
export const PAGE_KEY = 'page-key';
export const PageKey = z.string().min(32);

/** Where tickets' pages are, below the web server's root. */
export const PAGE_PATH = '/tickets';

/** 128 bits: nobody guesses it, and a link stays short. */
const SIGNATURE_CHARACTERS = 22;

/** All links of one period are good until the same moment: so what shows a link need not change every day. */
const PERIOD_MS = 30 * 24 * 60 * 60_000;
/** The period in which a link is made counts as one of them: it is good for at least 90 days. */
const PERIODS = 4;

/** Days for which a link is good, at least. */
export const LINK_DAYS = 90;

/** What shows that a link to a ticket's page was given by us and is still good; for this reference alone. */
export function pageKeyOf(secret: string, code: string, now: Date): string {
  const until = periodOf(now) + PERIODS;
  return `${until.toString(36)}.${signatureOf(secret, code, until)}`;
}

/** @param key what the link bears, whatever that is. */
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

/** The address of a ticket's page. */
export function pageUrl(publicUrl: string, secret: string, code: string, now: Date): string {
  return `${publicUrl}${PAGE_PATH}/${encodeURIComponent(code)}?k=${pageKeyOf(secret, code, now)}`;
}

/** The reference that an address of a ticket's page names, signed or not; undefined for any other address. */
export function codeOfPage(publicUrl: string, address: string): string | undefined {
  const url = URL.parse(address);
  const base = URL.parse(`${publicUrl}${PAGE_PATH}/`);
  if (!url || !base || url.origin !== base.origin || !url.pathname.startsWith(base.pathname))
    return undefined;
  const code = url.pathname.slice(base.pathname.length);
  return /^[A-Za-z][A-Za-z0-9]{0,9}-\d{1,9}$/.test(code) ? code.toUpperCase() : undefined;
}
