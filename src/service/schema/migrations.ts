import { migration } from '../../platform/database/migrate.ts';
import { ENGINE_SQL } from '../../platform/engine/index.ts';

/** Name of the Postgres schema that the service's tables live in. */
export const SCHEMA = 'service';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [
  migration('0001', ENGINE_SQL, new URL('schema.sql', import.meta.url)),
  migration('0002', new URL('clocks.sql', import.meta.url)),
  migration('0003', new URL('warnings.sql', import.meta.url)),
  migration('0004', new URL('absences.sql', import.meta.url)),
  migration('0005', new URL('results.sql', import.meta.url)),
  migration('0006', new URL('team-threads.sql', import.meta.url)),
  migration('0007', new URL('told.sql', import.meta.url)),
  migration('0008', new URL('scheduled-replies.sql', import.meta.url)),
  migration('0009', new URL('workflows.sql', import.meta.url)),
  migration('0010', new URL('assist.sql', import.meta.url)),
  migration('0011', new URL('oauth.sql', import.meta.url)),
  migration('0012', new URL('workflow-times.sql', import.meta.url)),
  migration('0013', new URL('workflow-schedules.sql', import.meta.url)),
  migration('0014', new URL('chat-reactions.sql', import.meta.url)),
  migration('0015', new URL('workflow-activations.sql', import.meta.url)),
  migration('0016', new URL('workflow-counts.sql', import.meta.url)),
  migration('0017', new URL('webhook-queues.sql', import.meta.url)),
  migration('0018', new URL('stored-at.sql', import.meta.url)),
];
