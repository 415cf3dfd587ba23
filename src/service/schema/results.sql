-- How targets were met, and what a requester is told.

-- How a ticket's first reply came, and how it was last resolved: recorded when it happens.
create table target_result (
  workspace_id text not null,
  ticket_id text not null,
  target text not null check (target in ('first-reply', 'resolution')),
  queue_id text not null,
  priority text not null,
  -- The target then; null if there was none.
  minutes integer,
  -- Where the time went, in minutes (tickets/clock.ts).
  open_minutes double precision not null,
  held_minutes double precision not null,
  outside_minutes double precision not null,
  at timestamptz(3) not null,
  primary key (workspace_id, ticket_id, target),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index target_result_newest on target_result (workspace_id, queue_id, priority, target, at);
create index target_result_at on target_result (workspace_id, at);

-- The business minutes after which most first replies came when the ticket was opened; null if there were too few to say.
alter table ticket add column usual_reply_minutes double precision;
-- When its requester may expect the first reply.
alter table ticket add column expected_reply_at timestamptz(3);

-- Open tickets get their due times by the new rules. Nobody is warned of what an upgrade recomputes, nor of what waited to
-- be recomputed before it.
update work set body = (body::jsonb || '{"warnings": true}')::json where kind = 'due-times' and done_at is null;
insert into lane (key, class) select 'due-times:' || id, 'due-times' from workspace on conflict do nothing;
insert into work (lane, kind, body, added_at, not_before)
select 'due-times:' || id, 'due-times', json_build_object('workspaceId', id, 'warnings', true), now(), now() from workspace;
update lane set wake_at = least(wake_at, now()) where class = 'due-times';
