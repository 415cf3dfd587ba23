import type { Migration } from '../../platform/database/migrate.ts';

/** What channels tell about themselves, pins, messages that wait for their time, and bots of other apps. */
export const MESSAGES_MIGRATION: Migration = {
  name: '0003-messages',
  sql: `
alter table channel
  add column topic text not null default '',
  add column topic_by text not null default '',
  add column topic_at bigint not null default 0,
  add column purpose text not null default '',
  add column purpose_by text not null default '',
  add column purpose_at bigint not null default 0,
  add column previous_names text[] not null default '{}',
  add column is_ext_shared boolean not null default false;

create table pin (
  channel_id text not null,
  ts text collate "C" not null,
  user_id text not null,
  created_at bigint not null,
  primary key (channel_id, ts),
  foreign key (channel_id, ts) references message on delete cascade
);

create table scheduled_message (
  id text primary key,
  app_id text not null,
  channel_id text not null references channel on delete cascade,
  post_at bigint not null,
  created_at bigint not null,
  post jsonb not null
);
create index scheduled_message_due on scheduled_message (post_at);

create table other_bot (
  id text primary key,
  app_id text not null,
  user_id text not null,
  name text not null unique
);
`,
};
