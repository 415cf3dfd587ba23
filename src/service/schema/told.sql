-- Tickets that somebody opens for another person.

-- Whoever opened it wants its requester to be told in chat.
alter table ticket add column tell_requester boolean not null default false;
