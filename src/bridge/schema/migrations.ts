import { migration } from '../../platform/database/migrate.ts';
import { JOBS_SQL } from '../../platform/jobs/index.ts';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [
  migration('0001', JOBS_SQL, new URL('schema.sql', import.meta.url)),
  migration('0002', new URL('0002-check-again.sql', import.meta.url)),
  migration('0003', new URL('0003-notice.sql', import.meta.url)),
];
