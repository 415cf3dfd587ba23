-- Warnings that a target's time is nearly up, or over.

-- That a share of a target has passed was told to somebody: each once.
create table ticket_warning (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  target text not null check (target in ('first-reply', 'resolution')),
  percent integer not null,
  recipient text not null check (recipient in ('team', 'person', 'channel')),
  -- The person, or the channel in chat; empty for the team.
  recipient_id text not null default '',
  due_at timestamptz(3),
  -- It was over before anybody could be told: a change of the target, of hours or of the version put it into the past.
  is_silent boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, ticket_id, target, percent, recipient, recipient_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_warning_created on ticket_warning (workspace_id, created_at, id);

-- When the first warning comes that may not have been told yet.
alter table ticket add column warn_at timestamptz(3);
create index ticket_warn on ticket (warn_at) where warn_at is not null;
