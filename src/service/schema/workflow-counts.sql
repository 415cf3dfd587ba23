-- A trigger by time looks only at the tickets that changed since its last look, and at those whose time may be up.

alter table workflow_trigger
  -- When its tickets were last looked at; null: all of them still have to be.
  add column looked_at timestamptz(3);
alter table workflow_idle
  -- Its time is not up yet.
  add column is_counting boolean not null default false;
create index workflow_idle_counting on workflow_idle (workspace_id, workflow_id, step_id, since, ticket_id)
  where is_counting;
