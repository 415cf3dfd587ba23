import { migration } from '../../platform/database/migrate.ts';

/** The Postgres schema of the installations; each Slack workspace also has its own. */
export const SCHEMA = 'installations';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [migration('0001', new URL('schema.sql', import.meta.url))];
