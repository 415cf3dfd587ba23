-- Triggers by time.

alter table workflow_trigger
  -- Since when a trigger by time counts: its workflow was activated, or the trigger was changed.
  add column counts_from timestamptz(3) not null default now();
alter table workflow_trigger alter column counts_from drop default;

-- The tickets for which a trigger has counted its time to the end, each with the instant from which it counted: from
-- there on it counts once.
create table workflow_idle (
  workspace_id text not null,
  workflow_id text not null,
  step_id text not null,
  ticket_id text not null,
  since timestamptz(3) not null,
  -- Its run is still to be started.
  is_due boolean not null,
  primary key (workspace_id, workflow_id, step_id, ticket_id),
  foreign key (workspace_id, workflow_id, step_id) references workflow_trigger on delete cascade,
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index workflow_idle_due on workflow_idle (workspace_id, workflow_id, step_id, since, ticket_id) where is_due;
create index workflow_idle_ticket on workflow_idle (workspace_id, ticket_id);
