import type { Migration } from '../../platform/database/migrate.ts';

/** What people have filled in, and have not sent or had back. */
export const forms: Migration = {
  name: '0013-forms',
  sql: `
-- What somebody has filled into a form: kept while they type, and until it is a ticket (B37).
create table form_draft (
  id           text primary key,
  team_id      text not null,
  chat_user_id text not null,
  -- One form at a time is begun for each message, one for everything else, and one for each that was submitted.
  place        text not null,
  -- Where it was opened.
  context      json not null,
  -- By block id; json, as the inbox's bodies.
  filled       json not null,
  -- Chat's time of what was typed last: what is told late changes nothing.
  typed_at     text not null default '',
  -- The modal in which it was submitted.
  sent_view    text unique,
  updated_at   timestamptz(3) not null,
  unique (team_id, chat_user_id, place)
);
`,
};

/** Who was told that their form waits for the service. */
export const formsKept: Migration = {
  name: '0016-forms-kept',
  sql: `
-- Whoever submitted it knows that it is kept until the service answers again: once, and then that it became a ticket.
alter table form_draft add column kept_told boolean not null default false;
`,
};
