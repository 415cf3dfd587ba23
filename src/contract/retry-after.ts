/** A service that asks for more than this is asked again sooner: its clock or its header is wrong. */
const LONGEST_MS = 60 * 60 * 1000;

/**
 * Milliseconds of a `Retry-After` header: whole or broken seconds, or an HTTP date (RFC 9110, 10.2.3). Undefined for
 * anything else, never negative, at most one hour.
 */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!value) return undefined;
  const isDate = /^[A-Za-z]{3,9},? /.test(value);
  const ms = isDate
    ? Date.parse(value) - now.getTime()
    : /^\d+(\.\d+)?$/.test(value)
      ? Number(value) * 1000
      : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(Math.ceil(ms), 0), LONGEST_MS);
}
