import { migration } from '../../platform/database/migrate.ts';

/** The Postgres schema that says who installed the app; each Slack workspace has one of its own besides. */
export const SCHEMA = 'installations';

/** Every step, in order. A released step never changes; the next one follows it. */
export const migrations = [migration('0001', new URL('schema.sql', import.meta.url))];
