-- Who installed the app, and where. The data of each Slack workspace is in a Postgres schema of its own.

-- What Slack granted: to a workspace, or to an organisation for all of its workspaces that allow the app.
create table installation (
  -- The workspace's id, or the organisation's.
  id text primary key,
  name text not null,
  is_organisation boolean not null default false,
  -- Encrypted for this row: the database alone reveals no token.
  bot_token text not null,
  refresh_token text,
  expires_at timestamptz(3),
  scopes text[] not null,
  -- Slack's user id.
  installed_by text not null,
  installed_at timestamptz(3) not null,
  -- When the app was removed; the data of the workspace stays, in case it is installed again.
  removed_at timestamptz(3)
);

-- A Slack workspace that the app is or was in.
create table workspace (
  team_id text primary key,
  -- The installation whose token opens it, and since when.
  installation_id text not null references installation (id),
  since timestamptz(3) not null,
  name text not null,
  -- The Postgres schema with the data of this Slack workspace.
  schema text not null unique,
  left_at timestamptz(3)
);

-- The workspace whose bridge handles a channel that several workspaces of an organisation share.
create table channel_workspace (
  installation_id text not null references installation (id),
  channel_id text not null,
  team_id text not null references workspace (team_id),
  primary key (installation_id, channel_id)
);
