import { databaseErrorCode, Outdated } from '../../platform/database/open.ts';
import { frameworkProblem, JsonBodyError, type Problem } from '../../platform/http/index.ts';
import { conflict, malformed, ServiceProblem } from '../problem.ts';

const CHANGED_MEANWHILE = conflict(
  'Another request changed this record at the same time. Read it again and retry.',
);
const REFERS_TO_NOTHING = new ServiceProblem(
  'UNPROCESSABLE_CONTENT',
  'The request names a record that is not there any more.',
);

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Returns the problem for an error. Errors are classified by type and code, never by their text. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ServiceProblem) return error;
  if (error instanceof Outdated) return CHANGED_MEANWHILE;
  if (error instanceof JsonBodyError) return malformed([{ path: '', message: error.message }]);
  const code = databaseErrorCode(error);
  if (code === UNIQUE_VIOLATION) return CHANGED_MEANWHILE;
  if (code === FOREIGN_KEY_VIOLATION) return REFERS_TO_NOTHING;
  return frameworkProblem(error);
}
