import type { ColumnType, Generated } from 'kysely';

import type { Migration } from '../../platform/database/migrate.ts';

/** The Postgres schema in which it is kept who installed the app; each chat workspace has one of its own beside it. */
export const SCHEMA = 'installations';

type Instant = ColumnType<Date, Date | string, Date | string>;
type Maybe<Type> = ColumnType<Type | null, Type | null | undefined, Type | null>;

/** What chat handed out: to a workspace, or to an organisation for all of its workspaces that it lets the app into. */
export interface InstallationTable {
  /** The workspace's id, or the organisation's. */
  id: string;
  name: string;
  is_organisation: Generated<boolean>;
  bot_token: string;
  refresh_token: string | null;
  expires_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  scopes: string[];
  installed_by: string;
  installed_at: Instant;
  removed_at: Maybe<Date>;
}

/** A chat workspace that the app is or was in. */
export interface WorkspaceTable {
  team_id: string;
  /** Whose token opens it. */
  installation_id: string;
  name: string;
  /** The Postgres schema of everything that is kept of this chat workspace. */
  schema: string;
  /** Since when that token opens it. */
  since: Instant;
  left_at: Maybe<Date>;
}

/** By which workspace's bridge a channel of an organisation is worked: several may have it. */
export interface ChannelHomeTable {
  installation_id: string;
  channel_id: string;
  team_id: string;
}

export interface InstallationTables {
  installation: InstallationTable;
  workspace: WorkspaceTable;
  channel_home: ChannelHomeTable;
}

export const migrations: readonly Migration[] = [
  {
    name: '0001-initial',
    sql: `
create table installation (
  team_id       text primary key,
  name          text not null,
  schema        text not null unique,
  -- Sealed, for this row: whoever has only the database reads no token.
  bot_token     text not null,
  refresh_token text,
  expires_at    timestamptz(3),
  scopes        text[] not null,
  -- Of chat.
  installed_by  text not null,
  installed_at  timestamptz(3) not null,
  -- The app was removed; what was kept of the workspace stays, should it be installed again.
  removed_at    timestamptz(3)
);
`,
  },
  {
    name: '0002-organisations',
    sql: `
create table workspace (
  team_id         text primary key,
  installation_id text not null,
  name            text not null,
  schema          text not null unique,
  since           timestamptz(3) not null,
  left_at         timestamptz(3)
);
insert into workspace (team_id, installation_id, name, schema, since, left_at)
  select team_id, team_id, name, schema, installed_at, removed_at from installation;

alter table installation rename column team_id to id;
alter table installation
  drop column schema,
  add column is_organisation boolean not null default false;
alter table workspace add foreign key (installation_id) references installation (id);

create table channel_home (
  installation_id text not null references installation (id),
  channel_id      text not null,
  team_id         text not null references workspace (team_id),
  primary key (installation_id, channel_id)
);
`,
  },
];
