import type { Migration } from '../../platform/database/migrate.ts';

/** Events and their deliveries in one round trip: every write waits for them. */
export const storeEvents: Migration = {
  name: '0010-store-events',
  sql: `
-- Two statements and not one, so that the rows they refer to are locked before whatever follows in the caller's.
create function store_events(events json, deliveries json, at timestamptz) returns void language plpgsql as $$
begin
  insert into event (workspace_id, id, type, action, body, created_at)
    select workspace_id, id, type, action, body, at
    from json_to_recordset(events) as e (workspace_id text, id text, type text, action text, body text);
  insert into delivery (workspace_id, id, webhook_id, event_id, state, next_attempt_at, created_at, updated_at)
    select workspace_id, id, webhook_id, event_id, 'pending', at, at, at
    from json_to_recordset(deliveries) as d (workspace_id text, id text, webhook_id text, event_id text);
end $$;
`,
};
