const NEVER_SENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Libraries wrap errors, a few layers deep at most. */
const DEPTH = 4;

/**
 * Returns whether a network error means that the request was certainly never sent, so that repeating it cannot
 * duplicate it.
 */
export function neverSent(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < DEPTH; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && NEVER_SENT.has(at.code)) return true;
    if (at instanceof AggregateError && (at.errors as unknown[]).some(neverSent)) return true;
  }
  return false;
}
