import { migration } from '../../platform/database/migrate.ts';
import { ENGINE_SQL } from '../../platform/engine/index.ts';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [
  migration('0001', ENGINE_SQL, new URL('schema.sql', import.meta.url)),
  migration('0002', new URL('hidden.sql', import.meta.url)),
];
