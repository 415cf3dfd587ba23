import type { z } from 'zod';

import { AnsweredError, type ServiceError } from '../client/index.ts';
import { MALFORMED_REQUEST, type Problem } from '../platform/http/index.ts';

export const SIGNED_OUT: Problem = {
  status: 401,
  code: 'UNAUTHORIZED',
  message: 'You are not signed in.',
};
export const OTHER_PAGE: Problem = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'This request did not come from the desk’s own page.',
};

/** The outcome of a write is unknown: its response was lost, and the look-up failed too. */
const UNKNOWN: Problem = {
  status: 503,
  code: 'OUTCOME_UNKNOWN',
  message: 'The service’s response was lost. Check whether the change is there before you try again.',
};
const AWAY: Problem = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service cannot be reached at the moment. Nothing was changed; try again shortly.',
};

/** The service does not take the token. */
export const isUnauthorized = (error: unknown) => error instanceof AnsweredError && error.status === 401;

/** What the refusals of the service mean for a person, and for an API key. */
const REFUSED = {
  person: {
    401: 'Your session has ended. Sign in again.',
    429: 'You sent too many requests. Wait a minute, then try again.',
  },
  key: {
    401: 'The service does not take this API key (any more). Sign in again.',
    403: 'This API key may not do that. One of a higher role may.',
    429: 'Too many requests with this API key. Wait a minute, then try again.',
  },
};

/** A failed call to the service, as a message for the user; `isWrite`: it may have changed something. */
export function problemOfError(
  error: ServiceError,
  kind: keyof typeof REFUSED = 'key',
  isWrite = false,
): Problem {
  if (!(error instanceof AnsweredError) || error.status >= 500)
    return isWrite && !error.certain ? UNKNOWN : AWAY;
  const { status, code, detail, issues, conflict } = error;
  const words: Partial<Record<number, string>> = REFUSED[kind];
  const message = words[status] ?? detail ?? `The service answered ${status}.`;
  if (status === 401) return { ...SIGNED_OUT, message };
  return {
    status,
    code: code ?? 'REFUSED',
    message,
    ...(issues.length > 0 && { issues }),
    ...(conflict && { conflict }),
  };
}

/** Issues in one answer: enough to correct a request. */
const MAX_ISSUES = 20;

/** The page sent an invalid request; `error` has the path. */
export function malformed(error: z.ZodError | undefined): Problem {
  const issues = error?.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.'), message }));
  return { ...MALFORMED_REQUEST, ...(issues?.[0] && { message: issues[0].message, issues }) };
}
