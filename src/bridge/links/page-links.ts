import { createHmac, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

/** The setting that holds the key by which links to tickets' pages are signed. */
export const PAGE_KEY = 'page-key';
export const PageKey = z.string().min(32);

/** Where tickets' pages are, below the web server's root. */
export const PAGE_PATH = '/tickets';

/** 128 bits: nobody guesses it, and a link stays short. */
const SIGNATURE_CHARACTERS = 22;

/** What shows that a link to a ticket's page was given by us; for this reference alone. */
export function signatureOf(pageKey: string, code: string): string {
  const digest = createHmac('sha256', pageKey).update(`ticket page ${code}`).digest('base64url');
  return digest.slice(0, SIGNATURE_CHARACTERS);
}

export function isSigned(pageKey: string, code: string, signature: unknown): boolean {
  if (typeof signature !== 'string') return false;
  const given = Buffer.from(signature);
  const right = Buffer.from(signatureOf(pageKey, code));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The address of a ticket's page. */
export function pageUrl(publicUrl: string, pageKey: string, code: string): string {
  return `${publicUrl}${PAGE_PATH}/${encodeURIComponent(code)}?k=${signatureOf(pageKey, code)}`;
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
