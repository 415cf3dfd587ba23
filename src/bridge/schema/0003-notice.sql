-- A notification in a user's direct messages, drawn when it is sent and again when a message that it quotes changes or
-- is taken back (B43).
create table notice (
  id text primary key,
  ticket_id text not null,
  team_id text not null,
  channel_id text not null,
  chat_user_id text not null,
  -- What it says, with the words that it quotes: `NoticeContents` in features/notifications/notice.ts.
  contents json not null,
  made_at timestamptz(3) not null,
  -- Null until it is posted.
  ts text,
  -- A digest of what is shown.
  shown text
);
create index notice_ticket on notice (ticket_id);
create index notice_made_at on notice (made_at);
