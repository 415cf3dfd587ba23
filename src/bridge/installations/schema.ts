import type { ColumnType } from 'kysely';

import type { Migration } from '../../platform/database/migrate.ts';

/** The Postgres schema in which it is kept who installed the app; each chat workspace has one of its own beside it. */
export const SCHEMA = 'installations';

export interface InstallationTable {
  team_id: string;
  name: string;
  /** The Postgres schema of everything that is kept of this chat workspace. */
  schema: string;
  bot_token: string;
  refresh_token: string | null;
  expires_at: ColumnType<Date | null, Date | string | null, Date | string | null>;
  scopes: string[];
  installed_by: string;
  installed_at: ColumnType<Date, Date | string, Date | string>;
  removed_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
}

export interface InstallationTables {
  installation: InstallationTable;
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
];
