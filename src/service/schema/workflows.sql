-- Workflows that run: their versions, their runs, and what these wait for.

alter table workflow
  -- The version that was activated last; 0 if none was.
  add column version integer not null default 0,
  -- Since when it starts runs; null: it does not.
  add column active_since timestamptz(3),
  -- Steps and connections of an Active workflow that are not published yet.
  add column draft jsonb,
  -- Why it is in its state, where that was not a person's decision.
  add column state_reason text,
  -- The queues whose tickets it reads and writes, private ones too; null: what everyone in the workspace may read.
  add column queue_ids text[];

-- Up to here, workflows were stored and did nothing: none begins to act because of an upgrade.
update workflow set state = 'Draft',
  state_reason = 'This version runs workflows; the ones before only stored them. Check what this one does, then activate it.'
where state in ('Active', 'Deprovisioning');

-- A workflow as it was activated. Runs keep the version that they began with.
create table workflow_version (
  workspace_id text not null,
  workflow_id text not null,
  version integer not null,
  steps jsonb not null,
  connections jsonb not null,
  published_at timestamptz(3) not null,
  primary key (workspace_id, workflow_id, version),
  foreign key (workspace_id, workflow_id) references workflow
);

-- The triggers of Active workflows.
create table workflow_trigger (
  workspace_id text not null,
  workflow_id text not null,
  step_id text not null,
  event text not null,
  inputs jsonb not null,
  primary key (workspace_id, workflow_id, step_id),
  foreign key (workspace_id, workflow_id) references workflow
);
create index workflow_trigger_event on workflow_trigger (workspace_id, event);

create table workflow_run (
  workspace_id text not null,
  id text not null,
  workflow_id text not null,
  version integer not null,
  trigger_step_id text not null,
  -- The change that started it, or the request of a person: each starts a run of a trigger once.
  event_id text not null,
  ticket_id text not null,
  -- The person who ran it by hand.
  started_by text,
  state text not null check (state in ('running', 'waiting', 'failed', 'finished', 'stopped')),
  -- The workflows whose runs led to it, the first one first, and its own at the end.
  chain text[] not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  ended_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, workflow_id, trigger_step_id, event_id),
  foreign key (workspace_id, workflow_id, version) references workflow_version,
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index workflow_run_version on workflow_run (workspace_id, workflow_id, version);
create index workflow_run_created on workflow_run (workspace_id, workflow_id, created_at);
create index workflow_run_ticket on workflow_run (workspace_id, ticket_id);
create index workflow_run_live on workflow_run (workspace_id, workflow_id) where ended_at is null;
create index workflow_run_ended on workflow_run (ended_at) where ended_at is not null;

create table workflow_run_step (
  workspace_id text not null,
  run_id text not null,
  step_id text not null,
  position integer not null,
  state text not null check (state in ('pending', 'waiting', 'done', 'failed', 'skipped', 'unreached')),
  inputs jsonb,
  outputs jsonb,
  -- The connections that were taken when it ended.
  taken text[] not null default '{}',
  error text,
  -- The step before it ended then.
  began_at timestamptz(3) not null,
  ended_at timestamptz(3),
  primary key (workspace_id, run_id, step_id),
  foreign key (workspace_id, run_id) references workflow_run on delete cascade
);

-- What a waiting step waits for: an instant, or something on a ticket.
create table workflow_wait (
  workspace_id text not null,
  run_id text not null,
  step_id text not null,
  ticket_id text not null,
  event text not null check (event in ('time', 'reply', 'decision', 'children', 'chat')),
  until_at timestamptz(3),
  primary key (workspace_id, run_id, step_id),
  foreign key (workspace_id, run_id, step_id) references workflow_run_step on delete cascade,
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index workflow_wait_ticket on workflow_wait (workspace_id, ticket_id);

-- What a step asks to be written in chat; it waits for the answer.
create table chat_request (
  workspace_id text not null,
  id text not null,
  run_id text not null,
  step_id text not null,
  kind text not null check (kind in ('post', 'direct-message')),
  channel_id text,
  user_id text,
  content text not null,
  state text not null check (state in ('pending', 'done', 'failed')),
  message_ts text,
  error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, run_id, step_id),
  foreign key (workspace_id, run_id, step_id) references workflow_run_step on delete cascade
);
create index chat_request_pending on chat_request (workspace_id, created_at) where state = 'pending';

-- Messages and changes of a workflow say which one it was.
alter table ticket_message add column workflow_id text;
alter table ticket_message add foreign key (workspace_id, workflow_id) references workflow;
create index ticket_message_workflow on ticket_message (workspace_id, workflow_id) where workflow_id is not null;
alter table ticket_activity drop constraint ticket_activity_actor_kind_check;
alter table ticket_activity add check (actor_kind in ('person', 'key', 'agent', 'system', 'workflow'));
