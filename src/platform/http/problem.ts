import type { FastifyError, FastifyReply } from 'fastify';

import { isDatabaseAway, isDiskFull } from '../database/away.ts';
import { JsonBodyError } from './json.ts';

/**
 * An error response: a code, a message and what is wrong with the request. The cause stays inside. Its body is the
 * API's error envelope, which this module must not import; a test compares them.
 */
export interface Problem {
  status: number;
  code: string;
  message: string;
  issues?: readonly { path: string; message: string }[];
  /** The change that a refused write did not expect. */
  conflict?: object;
}

const INTERNAL: Problem = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Internal error. The log has details under the request id.',
};
const UNAVAILABLE: Problem = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service’s database is unavailable. Try again shortly.',
};
const NO_ROOM: Problem = {
  ...UNAVAILABLE,
  message:
    'The disk of the service’s database is full. Nothing was changed. Free some space, then try again.',
};
export const NOT_FOUND: Problem = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'Not found.',
};
export const METHOD_NOT_ALLOWED: Problem = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'Method not allowed.',
};
export const MALFORMED_REQUEST: Problem = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'The request could not be read.',
};

/** Requests that the framework rejects before a handler runs. */
const FRAMEWORK_PROBLEMS: Record<string, Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The body is too large.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as application/json.',
  },
};

/**
 * Returns the problem for an error that no program has translated: of the framework, or of an unavailable database;
 * `INTERNAL_SERVER_ERROR` for any other that is not the caller's fault. Errors are classified by type and code, never
 * by text.
 */
export function frameworkProblem(error: unknown): Problem {
  if (isDiskFull(error)) return NO_ROOM;
  if (isDatabaseAway(error)) return UNAVAILABLE;
  if (error instanceof JsonBodyError) return { ...MALFORMED_REQUEST, message: error.message };
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : FRAMEWORK_PROBLEMS[code];
  if (known) return known;
  const callersFault = code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500;
  return callersFault ? MALFORMED_REQUEST : INTERNAL;
}

/** Returns the envelope as JSON text. */
export function problemBody({ code, message, issues, conflict }: Problem, requestId: string): string {
  return JSON.stringify({
    code,
    message,
    ...(issues && { issues }),
    ...(conflict && { conflict }),
    requestId,
  });
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(problemBody(problem, reply.request.id));
}
