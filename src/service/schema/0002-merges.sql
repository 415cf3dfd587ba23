-- A merge, while it lasts: undoing it restores what it changed.
create table ticket_merge (
  workspace_id text not null,
  ticket_id text not null,
  -- The ticket that it was merged into. Where that one was merged on, `ticket.merged_into_id` is the last of the chain.
  into_id text not null,
  -- The snooze that the merge ended.
  snooze_until timestamptz(3),
  at timestamptz(3) not null,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, into_id) references ticket on delete cascade
);
create index ticket_merge_into on ticket_merge (workspace_id, into_id);

-- Who follows a ticket only because a request of theirs was merged into it: a row for each such request. It goes with
-- the follower's row, so who is removed and added again follows for a reason of their own.
create table ticket_merge_follower (
  workspace_id text not null,
  ticket_id text not null,
  person_id text not null,
  merged_id text not null,
  primary key (workspace_id, ticket_id, person_id, merged_id),
  foreign key (workspace_id, ticket_id, person_id) references ticket_follower on delete cascade,
  foreign key (workspace_id, merged_id) references ticket on delete cascade
);
create index ticket_merge_follower_merged on ticket_merge_follower (workspace_id, merged_id);

-- Merges of earlier versions kept only where messages go. The history has the ticket that was chosen, which may have
-- been merged on; a requester who follows is taken to do so because of the merge.
insert into ticket_merge (workspace_id, ticket_id, into_id, at)
select t.workspace_id, t.id, coalesce(chosen.id, t.merged_into_id), coalesce(t.closed_at, t.resolved_at, t.updated_at)
from ticket t
left join lateral (
  select a.new_value from ticket_activity a
  where a.workspace_id = t.workspace_id and a.ticket_id = t.id and a.field = 'mergedIntoId' and a.old_value is null
  order by a.at desc, a.id desc limit 1
) history on true
left join ticket chosen on chosen.workspace_id = t.workspace_id and chosen.id = history.new_value
  and chosen.merged_into_id = t.merged_into_id
where t.merged_into_id is not null;

insert into ticket_merge_follower (workspace_id, ticket_id, person_id, merged_id)
select f.workspace_id, f.ticket_id, f.person_id, m.ticket_id
from ticket_merge m
join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
join ticket_follower f on f.workspace_id = t.workspace_id and f.ticket_id in (m.into_id, t.merged_into_id)
  and f.person_id = t.requester_id;

alter table ticket_activity drop constraint ticket_activity_kind_check,
  add constraint ticket_activity_kind_check check (kind in ('changed', 'merged', 'unmerged', 'linked', 'unlinked'));
