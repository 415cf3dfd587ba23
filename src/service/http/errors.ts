import { setTimeout as wait } from 'node:timers/promises';

import { databaseErrorCode, pingDatabase } from '../../platform/database/open.ts';
import { frameworkProblem, type Problem } from '../../platform/http/index.ts';
import type { ServiceDb } from '../handler.ts';
import { conflict, ServiceProblem } from '../problem.ts';

const UNAVAILABLE = new ServiceProblem(
  'SERVICE_UNAVAILABLE',
  'The service cannot reach its database at the moment. Try again shortly.',
);
const CHANGED_MEANWHILE = conflict(
  'Another request changed this record at the same time. Read it again, then repeat.',
);
const REFERS_TO_NOTHING = new ServiceProblem(
  'UNPROCESSABLE_CONTENT',
  'The request names a record that is not there any more.',
);

/**
 * SQLSTATE classes (the first two characters) that say the database cannot work for us now, whatever we asked: no
 * connection (08), not let in (28, 3D), undone or locked out by others (40, 55), full (53), shut down (57), broken (58).
 */
const AWAY_CLASSES = new Set(['08', '28', '3D', '40', '53', '55', '57', '58']);
const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** An unreachable database is found out within this time; a caller waits no longer for the reason. */
const PING_MS = 1_000;

/** What a caller is told of an error. Errors are classed by type and code, never by their text. */
export async function problemOf(error: unknown, db: ServiceDb): Promise<Problem> {
  if (error instanceof ServiceProblem) return error;
  const code = databaseErrorCode(error);
  if (code === UNIQUE_VIOLATION) return CHANGED_MEANWHILE;
  if (code === FOREIGN_KEY_VIOLATION) return REFERS_TO_NOTHING;
  if (code !== undefined && AWAY_CLASSES.has(code.slice(0, 2))) return UNAVAILABLE;
  const problem = frameworkProblem(error);
  // The driver throws plain errors for a lost connection or a full pool, with nothing to tell them from a mistake
  // of ours; the database itself is asked instead.
  if (problem.status === 500 && code === undefined && !(await isReachable(db))) return UNAVAILABLE;
  return problem;
}

async function isReachable(db: ServiceDb): Promise<boolean> {
  const stop = new AbortController();
  const late = wait(PING_MS, false, { signal: stop.signal }).catch(() => false);
  const reached = pingDatabase(db).then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([reached, late]);
  stop.abort();
  return answer;
}
