import { z } from 'zod';

/** The closed list of error codes, with the HTTP status of each (docs/api.md, Conventions). */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const errorCode = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);

/** One problem of a request; `path` is dotted, and empty for the request as a whole. */
export const issue = z.strictObject({ path: z.string(), message: z.string() });
export type Issue = z.output<typeof issue>;

/** Who changed a ticket: a user, a key that names no user, an AI agent, or the service itself. */
export const activityActor = z.strictObject({
  kind: z.enum(['person', 'key', 'agent', 'system', 'workflow']),
  id: z.string().nullable(),
  name: z.string(),
});
export type ActivityActor = z.output<typeof activityActor>;

/** A value of a field: another record with its name, or a text. */
export const activityValue = z.union([z.strictObject({ id: z.string(), name: z.string() }), z.string()]);
export type ActivityValue = z.output<typeof activityValue>;

/** The change that a refused write did not expect; `by` is null if it was not recorded. */
export const conflictDetail = z.strictObject({
  field: z.string(),
  value: activityValue.nullable(),
  by: activityActor.nullable(),
});
export type ConflictDetail = z.output<typeof conflictDetail>;

/** The body of every error. Only 400 and 422 have `issues`, and some 409 `conflict`. */
export const errorEnvelope = z
  .strictObject({
    code: errorCode,
    message: z.string(),
    issues: z.array(issue).optional(),
    conflict: conflictDetail.optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });

/** The parsed error body; null for what it does not contain. */
export interface ErrorDetail {
  code: string | null;
  message: string | null;
  issues: Issue[];
  conflict: ConflictDetail | null;
  requestId: string | null;
}

/**
 * Parses an error body of any implementation: flat, or nested as `{ error: { code, message } }` (the specification
 * leaves the nesting open). Never throws.
 */
export function readErrorBody(body: unknown): ErrorDetail {
  const outer = record(body);
  const nested = record(outer['error']);
  const issues: unknown = outer['issues'] ?? nested['issues'];
  return {
    code: text(outer['code']) ?? text(nested['code']),
    message: text(outer['message']) ?? text(nested['message']) ?? text(outer['error']),
    issues: Array.isArray(issues) ? issues.flatMap(readIssue) : [],
    conflict: conflictDetail.safeParse(outer['conflict']).data ?? null,
    requestId: text(outer['requestId']) ?? text(nested['requestId']),
  };
}

function readIssue(value: unknown): Issue[] {
  const { path, message } = record(value);
  const said = text(message);
  if (said === null) return [];
  return [{ path: Array.isArray(path) ? path.join('.') : (text(path) ?? ''), message: said }];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
