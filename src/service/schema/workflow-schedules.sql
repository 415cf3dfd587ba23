-- Workflows that run at a time of day, on no ticket.
alter table workflow_trigger
  -- When a schedule is due next.
  add column next_at timestamptz(3);
alter table workflow_run alter column ticket_id drop not null;
alter table workflow_wait alter column ticket_id drop not null;
