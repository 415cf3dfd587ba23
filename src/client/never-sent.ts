const NEVER_SENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Libraries wrap an error in their own, a few layers deep at most. */
const DEPTH = 4;

/** Whether a network error says that the request surely never left, so that making it again cannot double it. */
export function neverSent(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < DEPTH; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && NEVER_SENT.has(at.code)) return true;
    if (at instanceof AggregateError && (at.errors as unknown[]).some(neverSent)) return true;
  }
  return false;
}
