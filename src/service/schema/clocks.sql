-- When the clocks of tickets stand, and stood.

-- A span in which a ticket's clocks stood: it was 'waiting' for its requester, or had 'ended' (Done, Closed, archived).
create table ticket_stop (
  workspace_id text not null,
  ticket_id text not null,
  reason text not null check (reason in ('waiting', 'ended')),
  from_at timestamptz(3) not null,
  -- Null: the clocks stand still.
  to_at timestamptz(3),
  primary key (workspace_id, ticket_id, from_at),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  check (to_at > from_at)
);
create unique index ticket_stop_open on ticket_stop (workspace_id, ticket_id) where to_at is null;

-- Since when a target that is not met yet waits for the requester; null while its clock runs.
alter table ticket add column sla_paused_at timestamptz(3);

-- The activity says which status a ticket had when: the one before its first change is that of its opening.
insert into ticket_stop (workspace_id, ticket_id, reason, from_at, to_at)
with had as (
  select workspace_id, ticket_id, at as from_at, id, new_value as status_id
  from ticket_activity where field = 'statusId'
  union all
  select t.workspace_id, t.id, t.created_at, '', coalesce(
    (select a.old_value from ticket_activity a
      where a.workspace_id = t.workspace_id and a.ticket_id = t.id and a.field = 'statusId'
      order by a.at, a.id limit 1),
    t.status_id)
  from ticket t
), span as (
  select had.workspace_id, ticket_id, from_at, status_id,
    lead(from_at) over (partition by had.workspace_id, ticket_id order by from_at, id) as to_at
  from had
), stop as (
  select span.workspace_id, span.ticket_id, span.from_at,
    case when g.kind = 'PENDING' then 'waiting' else 'ended' end as reason,
    case when t.archived_at is null then span.to_at else least(span.to_at, t.archived_at) end as to_at,
    t.archived_at
  from span
  join ticket t on t.workspace_id = span.workspace_id and t.id = span.ticket_id
  join status s on s.workspace_id = span.workspace_id and s.id = span.status_id
  join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
  where g.kind in ('PENDING', 'RESOLVED', 'CLOSED')
)
select workspace_id, ticket_id, reason, from_at, to_at from stop
  where (to_at is null or to_at > from_at) and (archived_at is null or from_at < archived_at)
union all
select workspace_id, id, 'ended', archived_at, null from ticket where archived_at is not null;
