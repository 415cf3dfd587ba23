import { type Migration, migration } from '../../platform/database/migrate.ts';
import { JOBS_SQL } from '../../platform/lanes/index.ts';
import { commands } from './commands.ts';
import { forms, formsKept } from './forms.ts';
import { home } from './home.ts';
import { linkSaid } from './link-said.ts';
import { notices } from './notices.ts';
import { reminders } from './reminders.ts';
import { storeEvent } from './store-event.ts';
import { storeInThread } from './store-in-thread.ts';

const initial: Migration = {
  name: '0001-initial',
  sql: `
-- A conversation is what one ticket is in chat: a thread (its root message) and everything said in it.
create table conversation (
  id              text primary key,
  team_id         text not null,
  channel_id      text not null,
  root_ts         text not null,
  -- A direct conversation: the only place where a private ticket's talk may stand (B14, B27).
  direct          boolean not null default false,
  ticket_id       text unique,
  -- The message that is the ticket's description: the root, or the answer to "what do you need?" (B6).
  description_ts  text,
  -- The title as the bridge made it; edits of the root change the title only while it is still this one (B6).
  title           text,
  -- Whoever was asked "what do you need?" and has not answered yet (B6).
  asked_user_id   text,
  -- The service's updatedAt up to which this ticket's messages have been applied (docs/architecture.md).
  applied_until   timestamptz(3),
  created_at      timestamptz(3) not null,
  unique (team_id, channel_id, root_ts)
);

-- What came in from either side, stored before it is acknowledged, worked in the lane of its conversation.
-- Bodies are json, not jsonb: jsonb refuses NUL and lone surrogates, which people can type.
create table inbox (
  id              text primary key,
  source          text not null check (source in ('chat', 'service')),
  -- What makes it the same event, whatever id the sender gave it (docs/architecture.md).
  event_key       text not null,
  kind            text not null,
  conversation_id text references conversation on delete set null,
  body            json not null,
  received_at     timestamptz(3) not null,
  -- How often the same came again: counted, never a reason to skip.
  repeats         integer not null default 0,
  outcome         text,
  done_at         timestamptz(3),
  unique (source, event_key)
);
create index inbox_received on inbox (received_at);

-- One part of a ticket message beside the chat message that carries it.
create table message_link (
  id                text primary key,
  conversation_id   text not null references conversation on delete cascade,
  ticket_message_id text not null,
  part              integer not null default 0,
  team_id           text not null,
  channel_id        text not null,
  -- Null while the post is on its way.
  ts                text,
  origin            text not null check (origin in ('chat', 'service')),
  -- The edit that both sides show: chat's edit timestamp, or the service's updatedAt.
  version           text not null,
  deleted           boolean not null default false,
  unique (team_id, channel_id, ts),
  unique (ticket_message_id, channel_id, part)
);
create index message_link_conversation on message_link (conversation_id);

-- The ticket's card in a thread; refreshed from the service's record, whatever changed it.
create table card (
  conversation_id text primary key references conversation on delete cascade,
  channel_id      text not null,
  ts              text,
  -- The ticket's updatedAt that the card shows: an older state is never drawn over a newer one (B31).
  shown           timestamptz(3)
);

-- What the bridge writes into chat: planned in the transaction that decides it, sent by chat/.
create table outbox (
  id              text primary key,
  conversation_id text references conversation on delete cascade,
  team_id         text not null,
  channel_id      text not null,
  kind            text not null,
  body            json not null,
  state           text not null check (state in ('planned', 'sending', 'sent', 'dropped', 'parked')),
  -- Its turn in the channel's pace.
  not_before      timestamptz(3),
  -- When the running attempt began: an outcome that is unknown is looked up only after it must have ended.
  sending_since   timestamptz(3),
  -- Times an outcome was unknown and had to be looked up.
  uncertain       integer not null default 0,
  ts              text,
  error           text,
  planned_at      timestamptz(3) not null,
  sent_at         timestamptz(3)
);
create index outbox_open on outbox (planned_at) where state in ('planned', 'sending');

-- When each channel may take its next call (GCRA; docs/limits.md).
create table pace (
  key     text primary key,
  next_at timestamptz(3) not null
);

-- A person of chat beside the user of the service, with what was last read of them.
create table person (
  team_id      text not null,
  chat_user_id text not null,
  user_id      text,
  name         text not null,
  is_bot       boolean not null,
  is_guest     boolean not null,
  time_zone    text,
  read_at      timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);

create table setting (
  key   text primary key,
  value json not null
);
`,
};

const reconciliation: Migration = {
  name: '0002-reconciliation',
  sql: `
-- Chat's timestamp of the edit that the ticket's description shows: an older edit never wins over a newer one (B6).
alter table conversation add column described_by_edit text;
-- When something of it last changed on the ticket, and when its thread was last compared with the links.
alter table conversation add column active_at timestamptz(3) not null default clock_timestamp();
alter table conversation add column checked_at timestamptz(3);
create index conversation_checked on conversation (checked_at nulls first) where ticket_id is not null;

-- How far each of reconciliation's reads has come.
create table cursor (
  key      text primary key,
  position timestamptz(3) not null
);
`,
};

const receipts: Migration = {
  name: '0003-receipts',
  sql: `
-- The bot's mark on a message of chat that waits for the service, or can never cross (B47, B54).
create table receipt (
  team_id    text not null,
  channel_id text not null,
  ts         text not null,
  wanted     text check (wanted in ('waiting', 'failed')),
  -- The mark that was last put there; null while none surely was.
  shown      text check (shown in ('waiting', 'failed')),
  -- Its author has been sent the reason.
  told       boolean not null default false,
  primary key (team_id, channel_id, ts)
);

-- The ticket and its team have been told that this never went through (B54).
alter table outbox add column reported boolean not null default false;

-- A post fell out of this conversation's thread: there is none any more, and the next answer begins another (B58).
alter table conversation add column root_gone boolean not null default false;
-- Where a conversation stood before it began another thread.
create table former_root (
  team_id         text not null,
  channel_id      text not null,
  root_ts         text not null,
  conversation_id text not null references conversation on delete cascade,
  primary key (team_id, channel_id, root_ts)
);
`,
};

const turns: Migration = {
  name: '0004-turns',
  sql: `
-- While a row waits for its turn (not_before): the method whose budget it waits for.
alter table outbox add column waits_for text;
drop index outbox_open;
create index outbox_open on outbox (team_id, channel_id, planned_at) where state in ('planned', 'sending');
`,
};

const reactions: Migration = {
  name: '0004-reactions',
  sql: `
-- Which emoji a person holds on a message of chat, as the newest that was heard of it says (B12).
create table chat_reaction (
  team_id      text not null,
  channel_id   text not null,
  ts           text not null,
  chat_user_id text not null,
  -- As chat names it, with its skin tone.
  name         text not null,
  -- Chat's timestamp of that news: older news never wins over newer.
  event_ts     text collate "C" not null,
  present      boolean not null,
  -- The service's user under whom it is on the ticket message; null while it is not there.
  user_id      text,
  heard_at     timestamptz(3) not null,
  primary key (team_id, channel_id, ts, chat_user_id, name)
);
create index chat_reaction_unused on chat_reaction (heard_at) where user_id is null;

-- The bot's emoji on a ticket message in chat, for those who hold it elsewhere (B12).
create table bot_reaction (
  conversation_id   text not null references conversation on delete cascade,
  ticket_message_id text not null,
  -- Its sign, or its name where it has none: names of one sign are one emoji.
  emoji             text not null,
  name              text not null,
  wanted            boolean not null,
  shown             boolean not null default false,
  -- Chat will never take it: it stays on the ticket.
  refused           boolean not null default false,
  primary key (conversation_id, ticket_message_id, emoji)
);

-- A digest of the words that the posts show: a reaction changes a ticket message, and not its words.
alter table message_link add column digest text;
`,
};

const files: Migration = {
  name: '0005-files',
  sql: `
-- A file of a ticket message on its way into chat, or there, beside the link of the message that shows it (B18).
create table upload (
  link_id  text primary key references message_link on delete cascade,
  -- Where the ticket has it; empty where only chat is known to have it.
  url      text not null,
  -- What it shows, in words.
  alt      text not null default '',
  -- Chat's id, recorded before chat is asked to show it: at most this one file is ever shown.
  file_id  text unique,
  -- When chat was last asked to show it, and when it said that it will.
  asked_at timestamptz(3),
  taken_at timestamptz(3),
  -- How often its address, or chat, has failed at it.
  tries    integer not null default 0
);
`,
};

const people: Migration = {
  name: '0006-people',
  sql: `
-- The picture that chat shows of them; deactivated people keep their history and are no longer offered or mentioned.
alter table person add column image text;
alter table person add column is_deleted boolean not null default false;
-- Who said that this chat user is that user; null: matched by e-mail or chat account (docs/people.md).
alter table person add column linked_by text check (linked_by in ('self', 'admin'));
-- What was read of them, in short: tells a change that matters from one of status or presence.
alter table person add column digest text;
create index person_user on person (user_id);

-- What somebody in chat has to write at the desk to speak as that user: its fingerprint, once, for a short time.
create table link_code (
  team_id      text not null,
  chat_user_id text not null,
  code_hash    text not null unique,
  created_at   timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);
`,
};

const opening: Migration = {
  name: '0008-opening',
  sql: `
-- A private ticket's talk is on its way to a place of its own: until it is there nothing of it is shown (B8, B11).
alter table conversation add column moving boolean not null default false;
-- The whole channel is this ticket's, and what is said at its top is said on the ticket (B11).
alter table conversation add column room boolean not null default false;
`,
};

const linkProof: Migration = {
  name: '0009-link-proof',
  sql: `
-- The note that used the code up, from the link being made until the team was told: a stop in between is made up for.
alter table link_code add column message_id text;
alter table link_code drop constraint link_code_pkey;
alter table link_code drop constraint link_code_code_hash_key;
alter table link_code add primary key (code_hash);
create unique index link_code_open on link_code (team_id, chat_user_id) where message_id is null;
`,
};

const cards: Migration = {
  name: '0010-cards',
  sql: `
-- What a thread is to its ticket: where the requester is talked to, where the queue's team talks about it (B26), or a
-- copy of its card in somebody's direct messages (B27).
alter table conversation add column role text not null default 'request' check (role in ('request', 'triage', 'direct'));
alter table conversation drop constraint conversation_ticket_id_key;
create unique index conversation_request on conversation (ticket_id) where role = 'request';
create unique index conversation_copy on conversation (ticket_id, channel_id) where role <> 'request';
-- Its requester wrote when it was done, and it was opened again for that (B22).
alter table conversation add column reopened boolean not null default false;

-- Cards that are on their way to places that have none yet.
create index outbox_copy on outbox ((body -> 'copy' ->> 'ticket')) where kind = 'card';

-- Who has been told that what is written in this thread is for the team only (B15).
create table told_note (
  conversation_id text not null references conversation on delete cascade,
  chat_user_id    text not null,
  primary key (conversation_id, chat_user_id)
);
`,
};

const cardCopies: Migration = {
  name: '0012-card-copies',
  sql: `
-- Whose direct messages a copy of a card stands in, as the service knows them (B27).
alter table conversation add column party_user_id text;

-- The status' emoji on a conversation's first message (B29): what is wanted, what was put there, and on which message.
alter table conversation add column status_wanted text;
alter table conversation add column status_shown  text;
alter table conversation add column status_ts     text;

-- What the thread was last told of its ticket: the next line says what is different (B30).
alter table conversation add column told json;

-- What a card shows may change without a change of its ticket: who is answering, until then (B57).
alter table card add column stale boolean not null default false;
alter table card add column claimed_until timestamptz(3);
create index card_claimed on card (claimed_until) where claimed_until is not null;
`,
};

const retention: Migration = {
  name: '0022-retention',
  sql: `
-- Forgetting a thread looks for what still names it, and forgetting what is done looks for when that was.
create index inbox_conversation on inbox (conversation_id);
create index inbox_done on inbox (done_at);
create index outbox_conversation on outbox (conversation_id);
create index outbox_sent on outbox (sent_at);
create index former_root_conversation on former_root (conversation_id);
`,
};

const waiting: Migration = {
  name: '0023-waiting',
  sql: `
-- Who goes before a row that wants its turn is counted under the lock of the paces: few rows are read however many wait.
create index outbox_waiting on outbox (team_id, waits_for, not_before) where state in ('planned', 'sending');
create index outbox_kinds on outbox (team_id, channel_id, kind) where state in ('planned', 'sending');
`,
};

export const migrations: readonly Migration[] = [
  migration('0000', JOBS_SQL),
  initial,
  reconciliation,
  receipts,
  turns,
  reactions,
  files,
  people,
  opening,
  linkProof,
  cards,
  notices,
  cardCopies,
  forms,
  home,
  commands,
  reminders,
  formsKept,
  storeEvent,
  storeInThread,
  linkSaid,
  retention,
  waiting,
];
