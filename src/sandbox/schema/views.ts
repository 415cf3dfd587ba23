import type { Migration } from '../../platform/database/migrate.ts';

/** The Home that an app published to a person. Modals are not kept: they end with the client that shows them. */
export const VIEWS_MIGRATION: Migration = {
  name: '0002-views',
  sql: `
create table home_view (
  app_id text not null references app on delete cascade,
  user_id text not null references person on delete cascade,
  view_id text not null unique,
  hash text not null,
  definition jsonb not null,
  primary key (app_id, user_id)
);
`,
};
