-- The sandbox's tables. The declared type of a column says how `Database` reads and writes it: `boolean`, `instant`
-- (milliseconds, a Date in the program) and `json` are not SQLite's own.
-- Change SCHEMA_VERSION (database.ts) with this file: a file of another version is refused.

create table organisation (
  id text primary key,
  name text not null,
  domain text not null unique
);

-- The first one is the default workspace.
create table team (
  id text primary key,
  name text not null,
  domain text not null,
  organisation_id text references organisation on delete cascade
);

-- An app as its maker registered it.
create table app (
  id text primary key,
  name text not null,
  app_token text not null unique,
  signing_secret text not null,
  client_id text not null unique,
  client_secret text not null,
  redirect_urls json text not null,
  token_rotation boolean not null,
  request_url text,
  request_url_verified boolean not null default false,
  socket_mode boolean not null
);

-- An app in a workspace. The row stays when the app is removed: its bot user comes back with it.
create table installation (
  app_id text not null references app on delete cascade,
  team_id text not null references team on delete cascade,
  bot_user_id text not null,
  bot_id text not null,
  -- Null for everything.
  scopes json text,
  active boolean not null,
  by_organisation boolean not null default false,
  primary key (app_id, team_id)
);

create table organisation_installation (
  app_id text not null references app on delete cascade,
  organisation_id text not null references organisation on delete cascade,
  bot_user_id text not null,
  bot_id text not null,
  scopes json text,
  active boolean not null,
  primary key (app_id, organisation_id)
);

create table bot_token (
  token text primary key,
  app_id text not null references app on delete cascade,
  team_id text references team on delete cascade,
  organisation_id text references organisation on delete cascade,
  refresh_token text unique,
  expires_at instant,
  ended boolean not null default false,
  created_at instant not null,
  check ((team_id is null) <> (organisation_id is null))
);

create table oauth_code (
  code text primary key,
  app_id text not null references app on delete cascade,
  team_id text references team on delete cascade,
  organisation_id text references organisation on delete cascade,
  user_id text not null,
  scopes json text not null,
  redirect_uri text,
  expires_at instant not null,
  used boolean not null default false
);

-- The bot user of an organisation's app is the same in all of its workspaces.
create table person (
  workspace_id text not null references team on delete cascade,
  id text not null,
  name text not null,
  first_name text not null,
  last_name text not null,
  display_name text,
  title text not null default '',
  email text not null,
  time_zone text not null,
  is_bot boolean not null,
  is_workflow_bot boolean not null default false,
  role text not null default 'member'
    check (role in ('primary_owner', 'owner', 'admin', 'member', 'guest', 'single_channel_guest')),
  deleted boolean not null default false,
  -- The workspace of a person of another organisation.
  team_id text,
  picture text not null default '',
  -- Set to away, by users.setPresence.
  is_away boolean not null default false,
  updated_at integer not null default 0,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

-- The bots of other apps, which only post.
create table other_bot (
  id text primary key,
  team_id text not null references team on delete cascade,
  app_id text not null,
  user_id text not null,
  name text not null,
  unique (team_id, name)
);

create table user_group (
  id text primary key,
  team_id text not null references team on delete cascade,
  handle text not null,
  name text not null,
  description text not null,
  channels json text not null,
  users json text not null,
  created_by text not null,
  changed_by text not null,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer not null,
  unique (team_id, handle)
);

create table emoji (
  team_id text not null references team on delete cascade,
  name text not null,
  value text not null,
  primary key (team_id, name)
);

create table channel (
  id text primary key,
  team_id text not null references team on delete cascade,
  name text not null,
  kind text not null check (kind in ('channel', 'group', 'im', 'mpim')),
  is_archived boolean not null default false,
  creator text not null,
  created_at integer not null,
  -- Microseconds of the newest timestamp given out: the next one is later.
  last_us integer not null default 0,
  topic text not null default '',
  topic_by text not null default '',
  topic_at integer not null default 0,
  purpose text not null default '',
  purpose_by text not null default '',
  purpose_at integer not null default 0,
  previous_names json text not null default '[]',
  -- The workspaces of other organisations that share it (Slack Connect), and which of them hosts it; null for our own.
  connected_teams json text not null default '[]',
  host_team_id text,
  shared_with json text not null default '[]'
);
create index channel_of_team on channel (team_id, name);

create table member (
  channel_id text not null references channel on delete cascade,
  user_id text not null,
  -- How far conversations.mark says they have read.
  last_read text not null default '0000000000.000000',
  -- A direct conversation that is not closed.
  is_open boolean not null default true,
  primary key (channel_id, user_id)
);
create index member_of_user on member (user_id);

-- A ts has a fixed width, so it sorts as text.
create table message (
  channel_id text not null references channel on delete cascade,
  ts text not null,
  thread_ts text,
  broadcast boolean not null,
  ephemeral_for text,
  author text not null,
  content json text not null,
  auto_blocks boolean not null,
  reply_count integer not null default 0,
  reply_users json text not null default '[]',
  latest_reply text,
  reactions json text not null default '[]',
  primary key (channel_id, ts)
);
create index message_thread on message (channel_id, thread_ts, ts) where thread_ts is not null;

create table pin (
  channel_id text not null,
  ts text not null,
  user_id text not null,
  created_at integer not null,
  primary key (channel_id, ts),
  foreign key (channel_id, ts) references message on delete cascade
);

create table bookmark (
  id text primary key,
  channel_id text not null references channel on delete cascade,
  title text not null,
  link text not null,
  emoji text not null,
  user_id text not null,
  created_at integer not null,
  updated_at integer not null
);
create index bookmark_of_channel on bookmark (channel_id, created_at);

create table scheduled_message (
  id text primary key,
  app_id text not null,
  channel_id text not null references channel on delete cascade,
  post_at integer not null,
  created_at integer not null,
  post json text not null
);
create index scheduled_message_of_channel on scheduled_message (channel_id, post_at);

create table file (
  id text primary key,
  team_id text not null references team on delete cascade,
  user_id text not null,
  -- Null where a person uploaded it.
  app_id text,
  name text not null,
  title text not null,
  alt_text text not null,
  snippet_type text,
  size integer not null,
  width integer,
  height integer,
  created_at integer not null,
  state text not null check (state in ('promised', 'uploaded', 'sharing', 'processed', 'deleted')),
  upload_secret text not null unique,
  shares json text not null default '[]',
  -- How the file is to be shared, until that is done.
  plan json text
);
create index file_of_user on file (user_id);

create table file_bytes (
  file_id text primary key references file on delete cascade,
  bytes blob not null
);

-- The Home that an app published to a person. Modals are not stored: they end with the client that shows them.
create table home_view (
  app_id text not null references app on delete cascade,
  user_id text not null,
  view_id text not null unique,
  hash text not null,
  definition json text not null,
  primary key (app_id, user_id)
);

-- What is not acknowledged yet. Numbers are never used again: the journal names deliveries by them.
create table envelope (
  seq integer primary key autoincrement,
  app_id text not null,
  kind text not null,
  body json text not null,
  attempt integer not null default 0,
  reason text not null default '',
  due_at instant not null,
  created_at instant not null
);

create table response_url (
  token text primary key,
  channel_id text not null references channel on delete cascade,
  user_id text not null,
  uses integer not null default 0,
  expires_at instant not null,
  source_ts text,
  thread_ts text
);
create index response_url_of_channel on response_url (channel_id);
