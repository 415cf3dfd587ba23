import type { Migration } from '../../platform/database/migrate.ts';

/** Somebody's tickets by their status, and only then in the order of lists: of who has most, few are open. */
export const openBySomebody: Migration = {
  name: '0014-open-by-somebody',
  sql: `
create index ticket_by_requester on ticket (workspace_id, requester_id, status_id, created_at, id)
  where published and archived_at is null;
create index ticket_by_assignee on ticket (workspace_id, assignee_id, status_id, created_at, id)
  where published and archived_at is null;
drop index ticket_listed_by_requester;
drop index ticket_listed_by_assignee;
`,
};
