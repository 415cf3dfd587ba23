import type { Migration } from '../../platform/database/migrate.ts';

// What keeps lists short however many tickets there are; bench/growth.ts measures it.
export const growth: Migration = {
  name: '0008-growth',
  sql: `
-- The ticket of a message of chat, by its timestamp alone or with its channel.
create index chat_thread_message on chat_thread (workspace_id, message_ts);
create index chat_thread_mirror on chat_thread (workspace_id, mirror_ts) where mirror_ts is not null;
create index chat_message_ts on chat_message (workspace_id, ts);
-- What a list counts: all that it shows by default, read from the index alone.
create index ticket_listed on ticket (workspace_id) where published and archived_at is null;
`,
};
