-- Whether a conversation's place may show nothing of its ticket, as of the last check.
alter table conversation add column hidden boolean not null default false;
