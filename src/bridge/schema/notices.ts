import type { Migration } from '../../platform/database/migrate.ts';

/** What people are told by direct message (B39, B40, B43). */
export const notices: Migration = {
  name: '0011-notices',
  sql: `
-- Who gave a field of a ticket its value: nobody is told of their own acts (B43).
create table act (
  ticket_id text not null,
  field     text not null,
  -- As JSON.
  value     text not null,
  -- Done in chat, and noted before it is written; otherwise as the service's event says.
  in_chat   boolean not null,
  user_id   text,
  at        timestamptz(3) not null,
  primary key (ticket_id, field, value, in_chat)
);
create index act_at on act (at);

-- What people have been told of a ticket: the state that its next change is compared with (B43).
create table heard_ticket (
  ticket_id      text primary key,
  seen           json not null,
  -- The service's updatedAt up to which its messages were looked at.
  messages_until timestamptz(3),
  -- When the last look began, by the database's clock: what was asked for before is done with it.
  looked_at      timestamptz(3) not null
);
-- Ticket messages that people were told of, or needed not be: an edit is no news.
create table heard_message (
  ticket_message_id text primary key,
  heard_at          timestamptz(3) not null
);
create index heard_message_at on heard_message (heard_at);

-- Which notices somebody wants; no row: the default (docs/notices.md).
create table notice_preference (
  team_id      text not null,
  chat_user_id text not null,
  level        text not null check (level in ('all', 'mine', 'none')),
  primary key (team_id, chat_user_id)
);

-- A question to one person in their direct messages, drawn anew in place when what it says has changed (B39, B40).
create table ask (
  kind        text not null check (kind in ('approval', 'survey')),
  ticket_id   text not null,
  user_id     text not null,
  team_id     text not null,
  channel_id  text not null,
  -- Null while the post is on its way.
  ts          text,
  -- A digest of what it shows.
  shown       text,
  asked_at    timestamptz(3) not null,
  -- Of a survey: what was answered, and when first.
  score       integer check (score between 1 and 5),
  feedback    text,
  answered_at timestamptz(3),
  primary key (kind, ticket_id, user_id)
);
-- A ticket's requester is asked once, whoever that is later (B40).
create unique index ask_survey_once on ask (ticket_id) where kind = 'survey';
`,
};
