import type { Migration } from '../../platform/database/migrate.ts';

/**
 * Several workspaces: everything of one says which; what there was belongs to the one there was. An app is installed in
 * any number of them, with a bot user and tokens in each.
 */
export const WORKSPACES_MIGRATION: Migration = {
  name: '0005-workspaces',
  sql: `
alter table team add column seq bigint generated always as identity;

alter table app
  add column client_id text,
  add column client_secret text,
  add column redirect_urls text[] not null default '{}',
  add column token_rotation boolean not null default false;
update app set client_id = id, client_secret = 'client-secret-of-' || id;
alter table app
  alter column client_id set not null,
  alter column client_secret set not null,
  add constraint app_client_id_key unique (client_id);

create table installation (
  app_id text not null references app on delete cascade,
  team_id text not null references team on delete cascade,
  bot_user_id text not null unique,
  bot_id text not null unique,
  scopes text[],
  active boolean not null,
  primary key (app_id, team_id)
);
insert into installation (app_id, team_id, bot_user_id, bot_id, scopes, active)
  select app.id, team.id, app.bot_user_id, app.bot_id, app.scopes, true from app cross join team;

create table bot_token (
  token text primary key,
  app_id text not null,
  team_id text not null,
  refresh_token text unique,
  expires_at timestamptz,
  ended boolean not null default false,
  created_at timestamptz not null,
  foreign key (app_id, team_id) references installation on delete cascade
);
insert into bot_token (token, app_id, team_id, created_at)
  select app.bot_token, app.id, team.id, now() from app cross join team;
alter table app drop column bot_user_id, drop column bot_id, drop column bot_token, drop column scopes;

create table oauth_code (
  code text primary key,
  app_id text not null references app on delete cascade,
  team_id text not null references team on delete cascade,
  user_id text not null,
  scopes text[] not null,
  redirect_uri text,
  expires_at timestamptz not null,
  used boolean not null default false
);

-- Of a person, team_id names another organisation.
alter table person add column workspace_id text references team on delete cascade;
update person set workspace_id = (select id from team);
alter table person alter column workspace_id set not null, drop constraint person_name_key;
alter table person add unique (workspace_id, name);

alter table channel add column team_id text references team on delete cascade;
update channel set team_id = (select id from team);
alter table channel alter column team_id set not null;

alter table user_group add column team_id text references team on delete cascade;
update user_group set team_id = (select id from team);
alter table user_group alter column team_id set not null, drop constraint user_group_handle_key;
alter table user_group add unique (team_id, handle);

alter table emoji add column team_id text references team on delete cascade;
update emoji set team_id = (select id from team);
alter table emoji drop constraint emoji_pkey;
alter table emoji add primary key (team_id, name);

alter table other_bot add column team_id text references team on delete cascade;
update other_bot set team_id = (select id from team);
alter table other_bot alter column team_id set not null, drop constraint other_bot_name_key;
alter table other_bot add unique (team_id, name);

alter table file add column team_id text references team on delete cascade;
update file set team_id = (select id from team);
alter table file alter column team_id set not null;
`,
};
