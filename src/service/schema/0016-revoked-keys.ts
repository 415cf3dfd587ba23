import type { Migration } from '../../platform/database/migrate.ts';

/** What revoking a key has to know, and what it leaves behind. */
export const revokedKeys: Migration = {
  name: '0016-revoked-keys',
  sql: `
-- Why a webhook is not active; null while it is, and where somebody switched it off.
alter table webhook add column deactivated_reason text
  check (deactivated_reason in ('key-revoked', 'gone', 'failing'));
create index webhook_key on webhook (key_id) where key_id is not null;
-- The data directory whose own key this is: a new one of the same directory replaces it.
alter table api_key add column data_directory text;
create index api_key_data_directory on api_key (data_directory) where data_directory is not null;

-- An id names one record, whatever workspace it is in.
create unique index agent_id on agent (id);
create unique index knowledge_base_id on knowledge_base (id);
create unique index personality_id on personality (id);
create unique index request_type_id on request_type (id);
`,
};
