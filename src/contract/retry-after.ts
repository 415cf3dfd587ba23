/** Ten digits of seconds are three centuries: more is not a time to wait. */
const SECONDS = /^\d{1,10}(\.\d+)?$/;
/** An HTTP date names its weekday; `Date.parse` alone would take "1" or "-5" for a date. */
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Milliseconds of a `Retry-After` header: whole or broken seconds, or an HTTP date (RFC 9110, 10.2.3). Never negative;
 * undefined for anything else. How much of it is honoured is the caller's to say.
 */
export function retryAfterMs(header: string | string[] | null | undefined, now: Date): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (SECONDS.test(value)) return Math.ceil(Number(value) * 1000);
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
