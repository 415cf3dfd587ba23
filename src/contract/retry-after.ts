/** Ten digits of seconds are three centuries, so more is invalid. */
const SECONDS = /^\d{1,10}(\.\d+)?$/;
/** An HTTP date starts with its weekday; `Date.parse` alone would accept "1" or "-5". */
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Parses a `Retry-After` header to milliseconds: whole or fractional seconds, or an HTTP date (RFC 9110, 10.2.3). Never
 * negative; undefined for anything else. The caller decides how much of it to honour.
 */
export function retryAfterMs(header: string | string[] | null | undefined, now: Date): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (SECONDS.test(value)) return Math.ceil(Number(value) * 1000);
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
