import type { Migration } from '../../platform/database/migrate.ts';

export const replacedThreads: Migration = {
  name: '0007-replaced-threads',
  sql: `
-- Since when another thread stands in this one's place: it is not listed, and its pair is still this ticket's.
alter table chat_thread add column replaced_at timestamptz(3);
`,
};
