import type { Migration } from '../../platform/database/migrate.ts';

export const upkeep: Migration = {
  name: '0005-upkeep',
  sql: `
-- What the service did of its own accord.
create table audit_entry (
  workspace_id text not null references workspace,
  id text not null,
  action text not null,
  subject_id text not null,
  reason text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index audit_entry_created on audit_entry (workspace_id, created_at, id);

-- The installed app that channels are reached by. Its credentials are not the service's to know.
create table chat_app (
  workspace_id text not null references workspace,
  id text not null,
  app_id text not null,
  team_id text,
  team_name text,
  team_domain text,
  team_url text,
  bot_user_id text,
  enterprise_id text,
  enterprise_name text,
  is_enterprise_install boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index chat_app_installed on chat_app (workspace_id, app_id, coalesce(team_id, ''));
alter table chat_channel
  add column chat_app_id text,
  add foreign key (workspace_id, chat_app_id) references chat_app;

-- What speaks with a key.
alter table api_key add column source text not null default 'API';

-- A text that is sealed with the key that every secret here is sealed with: another key is told at once.
create table sealing (
  only_row boolean primary key default true check (only_row),
  sample text not null
);

-- For what retention looks for, and for the foreign key that each event it removes is checked by.
create index delivery_delivered on delivery (delivered_at) where state = 'delivered';
create index delivery_event on delivery (workspace_id, event_id);
create index event_created on event (created_at);
`,
};
