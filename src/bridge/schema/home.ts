import type { Migration } from '../../platform/database/migrate.ts';

/** What people have open in chat that is kept up to date for them. */
export const home: Migration = {
  name: '0013-home',
  sql: `
-- The Homes that people have opened (B38): only theirs are drawn again when something changes.
create table home (
  team_id      text not null,
  chat_user_id text not null,
  -- Where they are on it.
  part         text not null default 'all',
  page         integer not null default 1,
  -- What could not be done, said once.
  notice       text,
  -- What it shows; null until it was drawn.
  tickets      text[],
  digest       text,
  opened_at    timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);
`,
};
