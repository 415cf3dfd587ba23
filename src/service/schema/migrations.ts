import { migration } from '../../platform/database/migrate.ts';
import { JOBS_SQL } from '../../platform/jobs/index.ts';

/** Name of the Postgres schema that the service's tables live in. */
export const SCHEMA = 'service';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [
  migration('0001', JOBS_SQL, new URL('schema.sql', import.meta.url)),
  migration('0002', new URL('0002-merges.sql', import.meta.url)),
  migration('0003', new URL('0003-makers.sql', import.meta.url)),
  migration('0004', new URL('0004-newest-embeddings.sql', import.meta.url)),
  migration('0005', new URL('0005-writing-agents.sql', import.meta.url)),
  migration('0006', new URL('0006-words.sql', import.meta.url)),
  migration('0007', new URL('0007-trust.sql', import.meta.url)),
  migration('0008', new URL('0008-stopped-keys.sql', import.meta.url)),
  migration('0009', new URL('0009-identity-emails.sql', import.meta.url)),
  migration('0010', new URL('0010-former-makers.sql', import.meta.url)),
];
