import type { Migration } from '../../platform/database/migrate.ts';

/**
 * Organisations (Enterprise Grid): workspaces may be of one, and an app installed in it has one token and one bot user
 * for those of them that it is let into.
 */
export const ORGANISATIONS_MIGRATION: Migration = {
  name: '0006-organisations',
  sql: `
create table organisation (
  id text primary key,
  name text not null,
  domain text not null unique
);
alter table team add column organisation_id text references organisation on delete cascade;

create table organisation_installation (
  app_id text not null references app on delete cascade,
  organisation_id text not null references organisation on delete cascade,
  bot_user_id text not null,
  bot_id text not null,
  scopes text[],
  active boolean not null,
  primary key (app_id, organisation_id)
);

alter table installation
  add column by_organisation boolean not null default false,
  drop constraint installation_bot_user_id_key,
  drop constraint installation_bot_id_key;
alter table bot_token
  alter column team_id drop not null,
  add column organisation_id text references organisation on delete cascade,
  add check ((team_id is null) <> (organisation_id is null));
alter table oauth_code
  alter column team_id drop not null,
  add column organisation_id text references organisation on delete cascade;

-- A bot user of an organisation is the same in all of its workspaces.
alter table home_view drop constraint home_view_user_id_fkey;
alter table person drop constraint person_pkey, add primary key (workspace_id, id);

-- Further workspaces of the organisation that have the channel too.
alter table channel add column shared_with text[] not null default '{}';
`,
};
