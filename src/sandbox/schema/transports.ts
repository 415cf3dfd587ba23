import type { Migration } from '../../platform/database/migrate.ts';

/** How an app is reached, and what it may do. */
export const TRANSPORTS_MIGRATION: Migration = {
  name: '0004-transports',
  sql: `
alter table app
  add column request_url text,
  add column request_url_verified boolean not null default false,
  add column socket_mode boolean not null default true,
  add column scopes text[];
`,
};
