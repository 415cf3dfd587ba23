import type { Migration } from '../../platform/database/migrate.ts';

/** What a ticket's team is reminded of. */
export const reminders: Migration = {
  name: '0015-reminders',
  sql: `
-- When a ticket's team is to be reminded of it, and of what: each once, whatever is restarted.
create table reminder (
  ticket_id text not null,
  kind      text not null,
  at        timestamptz(3) not null,
  -- When it was told, or turned out to be no longer so.
  told_at   timestamptz(3),
  primary key (ticket_id, kind, at)
);
create index reminder_open on reminder (at) where told_at is null;
`,
};
