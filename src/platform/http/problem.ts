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

/** The problem for each status with which the framework rejects a request; any other 4xx is a malformed request. */
const FRAMEWORK_PROBLEMS: Readonly<Record<number, Problem>> = {
  // A path that leads out of a folder of files is a path that does not exist.
  403: NOT_FOUND,
  404: NOT_FOUND,
  405: METHOD_NOT_ALLOWED,
  413: { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The body is too large.' },
  415: {
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
  const status = rejectionStatus(error);
  return status === undefined ? INTERNAL : (FRAMEWORK_PROBLEMS[status] ?? MALFORMED_REQUEST);
}

/** Codes of Node for a request whose body ended early; Fastify adds the status 400 to such an error. */
const CUT_BODY: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Returns the 4xx status with which the framework or one of its plugins rejected a request; undefined for other errors.
 * Outgoing calls fail with errors that have a `statusCode` too, so the status alone decides nothing: codes of Fastify
 * and its plugins begin with `FST_`, and errors of the package `http-errors` say that they may be exposed.
 */
function rejectionStatus(error: unknown): number | undefined {
  const { code, statusCode, expose } = error as Partial<FastifyError & { expose: boolean }>;
  if (statusCode === undefined || statusCode < 400 || statusCode > 499) return undefined;
  const isRejection =
    expose === true || (code !== undefined && (code.startsWith('FST_') || CUT_BODY.has(code)));
  return isRejection ? statusCode : undefined;
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
