-- Replies that are sent later.

create table scheduled_reply (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  author_id text not null,
  content text not null,
  -- Of files that are not attached yet; some may be gone.
  file_ids text[] not null,
  send_at timestamptz(3) not null,
  -- The status that the ticket gets with it.
  status_id text,
  -- When its author scheduled it, or changed it last: what the requester wrote before, they may have read.
  known_at timestamptz(3) not null,
  -- Why it was not sent at its time; null while it waits.
  held_because text check (held_because in ('requester-replied', 'ticket-closed', 'author-left', 'refused')),
  held_detail text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, author_id) references person on delete cascade
);
create index scheduled_reply_due on scheduled_reply (send_at) where held_because is null;
create index scheduled_reply_ticket on scheduled_reply (workspace_id, ticket_id);
create index scheduled_reply_author on scheduled_reply (workspace_id, author_id);
