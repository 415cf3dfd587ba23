import type { Migration } from '../../platform/database/migrate.ts';

/** What people are in the workspace, groups of them, custom emoji, and files with their bytes. */
export const PEOPLE_AND_FILES_MIGRATION: Migration = {
  name: '0004-people-and-files',
  sql: `
alter table person
  add column role text not null default 'member'
    check (role in ('primary_owner', 'owner', 'admin', 'member', 'guest', 'single_channel_guest')),
  add column display_name text,
  add column title text not null default '',
  add column deleted boolean not null default false,
  add column team_id text,
  add column picture text not null default '',
  add column is_workflow_bot boolean not null default false,
  add column updated_at bigint not null default 0;
update person set role = 'guest' where is_guest;
alter table person drop column is_guest;

create table user_group (
  id text primary key,
  handle text not null unique,
  name text not null,
  description text not null,
  channels text[] not null,
  users text[] not null,
  changed_by text not null,
  created_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint not null
);

create table emoji (name text primary key, value text not null);

create table file (
  id text primary key,
  user_id text not null,
  app_id text,
  name text not null,
  title text not null,
  alt_text text not null,
  snippet_type text,
  size bigint not null,
  width int,
  height int,
  created_at bigint not null,
  state text not null check (state in ('promised', 'uploaded', 'sharing', 'processed', 'deleted')),
  upload_secret text not null unique,
  shares jsonb not null default '[]',
  plan jsonb
);
create index file_of_user on file (user_id);

create table file_bytes (
  file_id text primary key references file on delete cascade,
  bytes bytea not null
);
`,
};
