import type { Migration } from '../../platform/database/migrate.ts';

// What is open of somebody's, however much is not any more; bench/growth.ts measures it.
export const openLists: Migration = {
  name: '0012-open-lists',
  sql: `
-- What a list counts, of all states or of some, read from the index alone.
create index ticket_listed_by_status on ticket (workspace_id, status_id) where published and archived_at is null;
drop index ticket_listed;
-- One person's tickets in the order of lists. With the status beside it, those that are open are found without a look at
-- the others, of which there are more each year.
create index ticket_listed_by_requester on ticket (workspace_id, requester_id, created_at, id) include (status_id)
  where published and archived_at is null;
create index ticket_listed_by_assignee on ticket (workspace_id, assignee_id, created_at, id) include (status_id)
  where published and archived_at is null;
`,
};
