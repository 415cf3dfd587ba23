import type { Migration } from '../../platform/database/migrate.ts';
import { MESSAGES_MIGRATION } from './messages.ts';
import { ORGANISATIONS_MIGRATION } from './organisations.ts';
import { PEOPLE_AND_FILES_MIGRATION } from './people-and-files.ts';
import { TRANSPORTS_MIGRATION } from './transports.ts';
import { VIEWS_MIGRATION } from './views.ts';
import { WORKSPACES_MIGRATION } from './workspaces.ts';

/** The sandbox's schema, step by step. A released step is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-workspace',
    sql: `
create table team (id text primary key, name text not null, domain text not null);

create table app (
  id text primary key,
  name text not null,
  bot_user_id text not null unique,
  bot_id text not null unique,
  bot_token text not null unique,
  app_token text not null unique,
  signing_secret text not null
);

create table person (
  id text primary key,
  name text not null unique,
  first_name text not null,
  last_name text not null,
  email text not null,
  time_zone text not null,
  is_bot boolean not null,
  is_guest boolean not null
);

create table channel (
  id text primary key,
  name text not null,
  kind text not null check (kind in ('channel', 'group', 'im', 'mpim')),
  is_archived boolean not null,
  creator text not null,
  created_at bigint not null,
  last_us bigint not null default 0
);

create table member (
  channel_id text not null references channel on delete cascade,
  user_id text not null,
  primary key (channel_id, user_id)
);

-- ts has a fixed width, so it sorts as text; "C" makes that true whatever the database's locale is.
create table message (
  channel_id text not null references channel on delete cascade,
  ts text collate "C" not null,
  thread_ts text collate "C",
  broadcast boolean not null,
  ephemeral_for text,
  author text not null,
  content jsonb not null,
  auto_blocks boolean not null,
  reply_count int not null default 0,
  reply_users text[] not null default '{}',
  latest_reply text,
  reactions jsonb not null default '[]',
  primary key (channel_id, ts)
);
create index message_thread on message (channel_id, thread_ts, ts) where thread_ts is not null;

create table envelope (
  seq bigint generated always as identity primary key,
  app_id text not null,
  kind text not null,
  body jsonb not null,
  state text not null check (state in ('waiting', 'acked', 'dropped')),
  attempt int not null,
  reason text not null,
  due_at timestamptz not null,
  created_at timestamptz not null
);
create index envelope_waiting on envelope (seq) where state = 'waiting';

create table response_url (
  token text primary key,
  channel_id text not null references channel on delete cascade,
  user_id text not null,
  uses int not null default 0,
  expires_at timestamptz not null,
  source_ts text,
  thread_ts text
);
`,
  },
  VIEWS_MIGRATION,
  MESSAGES_MIGRATION,
  TRANSPORTS_MIGRATION,
  PEOPLE_AND_FILES_MIGRATION,
  WORKSPACES_MIGRATION,
  ORGANISATIONS_MIGRATION,
];
