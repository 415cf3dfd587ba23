-- When people are away.

create table absence (
  workspace_id text not null,
  id text not null,
  person_id text not null,
  from_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person on delete cascade,
  check (until_at > from_at)
);
create index absence_person on absence (workspace_id, person_id, until_at);
