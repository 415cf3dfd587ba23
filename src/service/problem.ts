import { type ConflictDetail, ERROR_STATUS, type ErrorCode, type Issue } from '../contract/index.ts';
import { databaseErrorCode } from '../platform/database/open.ts';
import type { Problem } from '../platform/http/index.ts';

/** Thrown by handlers to return an error; any other error is internal. */
export class ServiceProblem extends Error implements Problem {
  override readonly name = 'ServiceProblem';
  readonly code: ErrorCode;
  readonly issues?: readonly Issue[];
  readonly conflict?: ConflictDetail;
  /** Seconds after which it may be tried again, for the header `Retry-After`. */
  readonly retryAfter?: number;

  constructor(
    code: ErrorCode,
    message: string,
    issues?: readonly Issue[],
    conflict?: ConflictDetail,
    retryAfter?: number,
  ) {
    super(message);
    this.code = code;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
    if (issues) this.issues = issues;
    if (conflict) this.conflict = conflict;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The same for records that do not exist and those that the caller cannot see. */
export function notFound(): ServiceProblem {
  return new ServiceProblem('NOT_FOUND', 'There is no such record, or it is not visible to this key.');
}

/** @param detail the change that the write did not expect. */
export function conflict(message: string, detail?: ConflictDetail): ServiceProblem {
  return new ServiceProblem('CONFLICT', message, undefined, detail);
}

/** Well-formed, but violates a rule. */
export function unprocessable(path: string, message: string): ServiceProblem {
  return new ServiceProblem('UNPROCESSABLE_CONTENT', message, [{ path, message }]);
}

export function malformed(issues: readonly Issue[]): ServiceProblem {
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : '';
  return new ServiceProblem(
    'BAD_REQUEST',
    `The request is malformed. ${where}${first?.message ?? ''}`.trim(),
    issues,
  );
}

/** Returns the row, or throws 404. */
export function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw notFound();
  return row;
}

/** Postgres's own list of time zones may be older than ours. */
const INVALID_PARAMETER_VALUE = '22023';

/** Throws 400 instead of the error of a query that names a time zone which the database does not know. */
export function unknownZone(error: unknown): never {
  if (databaseErrorCode(error) !== INVALID_PARAMETER_VALUE) throw error;
  throw malformed([{ path: 'timeZone', message: 'The database does not know this time zone' }]);
}
