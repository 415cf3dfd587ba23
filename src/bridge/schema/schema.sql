-- The bridge's tables, for one Slack workspace. Ids of Slack have Slack's names: team_id, channel_id and ts. JSON that comes
-- from outside is stored as json, not jsonb: jsonb refuses NUL and lone surrogates, which people can type.

-- ---------------------------------------------------------------------------------------------------------------------
-- Conversations: threads in chat and what they contain

-- A ticket's thread: its parent message and everything in it.
create table conversation (
  id text primary key,
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  -- The ticket; null until there is one.
  ticket_id text,
  -- The requester's thread, the thread of the queue's team (B26), or a copy of the card in direct messages (B27).
  role text not null default 'request' check (role in ('request', 'triage', 'direct')),
  -- A direct message: the only place where the thread of a private ticket may be (B14, B27).
  direct boolean not null default false,
  -- The whole channel is this ticket's, so messages at its top level belong to the ticket too (B11).
  private_channel boolean not null default false,
  -- The thread of a private ticket is on its way to a place of its own: until it is there, nothing of it is shown (B8, B11).
  relocating boolean not null default false,
  -- The parent message was deleted: the next answer starts another thread (B58).
  parent_deleted boolean not null default false,
  -- The message that is the ticket's description: the parent, or the answer to "what do you need?" (B6).
  description_ts text,
  -- Slack's timestamp of the edit that the ticket's description shows: an older edit never replaces a newer one (B6).
  description_edit_ts text,
  -- The title that the bridge made; edits of the parent change the title only while it is still this one (B6).
  title text,
  -- The user who was asked "what do you need?" and has not answered yet (B6).
  prompted_user_id text,
  -- The service's user in whose direct messages a copy of the card is (B27).
  recipient_user_id text,
  -- The service's updatedAt up to which this ticket's messages have been applied (docs/architecture.md).
  applied_until timestamptz(3),
  -- The ticket's state as the thread last announced it: the next line says what is different (B30).
  announced json,
  -- The requester wrote when the ticket was done, which reopened it (B22).
  reopened boolean not null default false,
  -- The status emoji on the first message (B29): what is wanted, what was set, and on which message.
  status_wanted text,
  status_shown text,
  status_ts text,
  -- When something of it last changed on the ticket, and when its thread was last compared with the links.
  active_at timestamptz(3) not null default clock_timestamp(),
  checked_at timestamptz(3),
  -- When its thread is compared once more: a message without an event was too young, because its event might have been
  -- under way.
  check_again_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (team_id, channel_id, thread_ts)
);
create unique index conversation_request on conversation (ticket_id) where role = 'request';
create unique index conversation_copy on conversation (ticket_id, channel_id) where role <> 'request';
create index conversation_check_again on conversation (check_again_at) where check_again_at is not null;
create index conversation_checked on conversation (checked_at nulls first) where ticket_id is not null;

-- The thread that a conversation had before it started another one.
create table former_thread (
  team_id text not null,
  channel_id text not null,
  thread_ts text not null,
  conversation_id text not null references conversation on delete cascade,
  primary key (team_id, channel_id, thread_ts)
);
create index former_thread_conversation on former_thread (conversation_id);

-- One part of a ticket message, its text or a piece of it, or a file, and the chat message that shows it.
create table message_link (
  id text primary key,
  conversation_id text not null references conversation on delete cascade,
  ticket_message_id text not null,
  kind text not null default 'text' check (kind in ('text', 'file')),
  -- Numbers the texts of a message, and apart from them its files.
  part integer not null default 0,
  team_id text not null,
  channel_id text not null,
  -- Null while the post is on its way.
  ts text,
  origin text not null check (origin in ('chat', 'service')),
  -- The edit that both sides show. Of a message written in chat it is Slack's edit timestamp, null until somebody edits it;
  -- of a post the service's updatedAt, null if the post is to be shown anew.
  version text,
  -- Of the text that the posts show: a reaction changes a ticket message, but not its text.
  digest text,
  deleted boolean not null default false,
  unique (team_id, channel_id, ts),
  -- A message for a merged ticket is in that one's thread and in the other one's, which may be in the same channel.
  unique (ticket_message_id, channel_id, conversation_id, kind, part)
);
create index message_link_conversation on message_link (conversation_id);

-- A file of a message in chat, and its copy on the ticket (B18).
create table file_copy (
  id text primary key,
  conversation_id text not null references conversation on delete cascade,
  ticket_id text not null,
  -- The ticket message, or the ticket if the file belongs to its description.
  target_id text not null,
  -- Slack's file, and what its message says of it; 0 bytes and empty texts if it does not, or once it is done.
  file_id text not null,
  name text not null,
  bytes bigint not null,
  mimetype text not null,
  url text not null,
  permalink text not null,
  author_id text,
  -- An answer of a form: no message has it, so none that is edited is without it.
  of_form boolean not null default false,
  -- False once it is gone from chat.
  wanted boolean not null default true,
  -- `linked`: it stays a link, and why.
  state text not null default 'waiting' check (state in ('waiting', 'copied', 'linked', 'removed')),
  reason text,
  service_file_id text,
  created_at timestamptz(3) not null,
  done_at timestamptz(3),
  unique (target_id, file_id)
);
create index file_copy_conversation on file_copy (conversation_id);
create index file_copy_open on file_copy (created_at) where state = 'waiting';

-- A file of a ticket message on its way into chat, or there, with the link of the message that shows it (B18).
create table upload (
  link_id text primary key references message_link on delete cascade,
  -- Its address, a path if it is one of the service's files; empty where only Slack is known to have it.
  url text not null,
  -- Its description, or the name of a file of the service.
  alt text not null default '',
  -- The size of a file of the service.
  bytes bigint,
  -- Slack's id, recorded before Slack is asked to show the file, so that no second file is shown.
  file_id text unique,
  -- When Slack was last asked to show it, and when Slack accepted.
  requested_at timestamptz(3),
  accepted_at timestamptz(3),
  attempts integer not null default 0
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Inbox and outbox

-- Events of both sides, stored before they are acknowledged and worked in the order of their conversation.
create table inbox (
  id text primary key,
  source text not null check (source in ('chat', 'service')),
  -- Identifies the event, whatever id the sender gave it (docs/architecture.md).
  event_key text not null,
  kind text not null,
  conversation_id text references conversation on delete set null,
  -- The envelope in Slack's own shape, without secrets and profiles; of the service, the event as it was parsed. Null
  -- once it was emptied: some days after it was worked, or because its author was erased.
  body json,
  received_at timestamptz(3) not null,
  -- How often the same event came again: counted, never a reason to skip it.
  repeats integer not null default 0,
  outcome text,
  done_at timestamptz(3),
  unique (source, event_key)
) with (
  -- Room for the update that records the outcome, which touches no index.
  fillfactor = 75
);
create index inbox_received on inbox (received_at);
-- Whose bodies are emptied next.
create index inbox_body on inbox (received_at) where body is not null;
create index inbox_conversation on inbox (conversation_id);
-- The undone work of an event.
create index work_event on work ((body ->> 'inbox')) where done_at is null and kind in ('event', 'personal-event');

-- Posts to Slack: planned in the transaction that decides them, sent by work of their own.
create table outbox (
  id text primary key,
  conversation_id text references conversation on delete cascade,
  team_id text not null,
  channel_id text not null,
  kind text not null,
  -- The part of a ticket message that it posts, edits or deletes.
  link_id text,
  body json not null,
  state text not null check (state in ('planned', 'sending', 'sent', 'dropped', 'dead')),
  -- When the rate limit lets it go, and the method whose limit it waits for.
  not_before timestamptz(3),
  waits_for text,
  -- When the current attempt began: an outcome that is unknown is looked up only after that attempt must have ended.
  sending_since timestamptz(3),
  -- How often an outcome was unknown and had to be looked up.
  uncertain integer not null default 0,
  ts text,
  error text,
  -- The ticket and its team know that it could not be delivered (B54).
  reported boolean not null default false,
  planned_at timestamptz(3) not null,
  sent_at timestamptz(3)
);
create index outbox_open on outbox (team_id, channel_id, planned_at) where state in ('planned', 'sending');
-- The rows ahead of one that waits are counted under the lock of the rate limit: few rows are read however many wait.
create index outbox_waiting on outbox (team_id, waits_for, not_before) where state in ('planned', 'sending');
create index outbox_kinds on outbox (team_id, channel_id, kind) where state in ('planned', 'sending');
-- Cards on their way to places that have none yet.
create index outbox_copy on outbox ((body -> 'copy' ->> 'ticket')) where kind = 'card';
create index outbox_conversation on outbox (conversation_id);
create index outbox_sent on outbox (sent_at);

-- When each channel or method may be called next (generic cell rate algorithm).
create table rate_limit (
  key text primary key,
  next_at timestamptz(3) not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- People

-- A Slack user, the service's user they are linked to, and their profile as last read.
create table person (
  team_id text not null,
  chat_user_id text not null,
  user_id text,
  name text not null,
  image text,
  time_zone text,
  is_bot boolean not null,
  is_guest boolean not null,
  -- A deactivated user keeps their history, and is no longer offered or mentioned.
  is_deleted boolean not null default false,
  -- Who linked them; null: matched by e-mail or chat account.
  linked_by text check (linked_by in ('self', 'admin')),
  -- Of the profile: distinguishes a change that matters from one of status or presence.
  digest text,
  read_at timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);
create index person_user on person (user_id);

-- Users whom the service has erased.
create sequence erased_user_number;
create table erased_user (
  user_id text primary key,
  -- The order in which users were forgotten.
  number bigint not null default nextval('erased_user_number'),
  -- Digests of their Slack accounts: their old reactions, which are still in Slack, are no news.
  accounts text[] not null,
  -- The accounts until the copies of them are cleared.
  uncleared text[],
  erased_at timestamptz(3) not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Cards, reactions and delivery status

-- The ticket's card in a thread, refreshed from the service's record.
create table card (
  conversation_id text primary key references conversation on delete cascade,
  channel_id text not null,
  ts text,
  -- The ticket's updatedAt that the card shows: an older state is never drawn over a newer one (B31).
  shown timestamptz(3),
  -- A card may change without its ticket: it also shows who is answering, and until when (B57).
  stale boolean not null default false,
  claimed_until timestamptz(3),
  -- The similar tickets that it names, for which words they were searched, and when.
  names jsonb
);
create index card_claimed on card (claimed_until) where claimed_until is not null;
create index card_names on card using gin ((names -> 'tickets') jsonb_path_ops) where names is not null;

-- Where tickets are shown beside their own places: in messages of the bot, and in previews of links in messages of
-- others. What stands there is taken back once not everyone may read the ticket any more.
create table shown_ticket (
  ticket_id text not null,
  team_id text not null,
  channel_id text not null,
  ts text not null,
  -- The link whose preview it is; empty for the bot's own message.
  url text not null,
  primary key (ticket_id, channel_id, ts, url)
);

-- The emoji that a user has on a chat message, according to the newest event (B12).
create table chat_reaction (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  chat_user_id text not null,
  -- Slack's name, with its skin tone.
  name text not null,
  -- Slack's timestamp of that event: an older one never replaces a newer one.
  event_ts text collate "C" not null,
  present boolean not null,
  -- The service's user who has it on the ticket message; null while it is not there.
  user_id text,
  received_at timestamptz(3) not null,
  primary key (team_id, channel_id, ts, chat_user_id, name)
);
create index chat_reaction_unused on chat_reaction (received_at) where user_id is null;

-- The bot's emoji on a post, for the users who have it on the ticket message (B12).
create table bot_reaction (
  conversation_id text not null references conversation on delete cascade,
  ticket_message_id text not null,
  -- The character, or the name where it has none: names of one character are one emoji.
  emoji text not null,
  name text not null,
  wanted boolean not null,
  shown boolean not null default false,
  -- Slack never accepts it: it stays on the ticket only.
  refused boolean not null default false,
  primary key (conversation_id, ticket_message_id, emoji)
);

-- The bot's emoji on a message that waits for the service, or can never reach it (B47, B54).
create table delivery_status (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  wanted text check (wanted in ('waiting', 'failed')),
  -- The emoji that was last set; null while none is certain to be there.
  shown text check (shown in ('waiting', 'failed')),
  -- The author knows the reason.
  author_notified boolean not null default false,
  primary key (team_id, channel_id, ts)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Notifications, questions and reminders

-- Who set a field of a ticket: nobody is notified of their own changes (B43).
create table ticket_change (
  ticket_id text not null,
  field text not null,
  -- As JSON.
  value text not null,
  -- Made in chat, and recorded before it is written; otherwise from the service's event.
  in_chat boolean not null,
  user_id text,
  at timestamptz(3) not null,
  primary key (ticket_id, field, value, in_chat)
);
create index ticket_change_at on ticket_change (at);

-- The state of a ticket that people were last notified of: the next change is compared with it (B43).
create table notification_state (
  ticket_id text primary key,
  seen json not null,
  -- The service's updatedAt up to which its messages were checked.
  messages_until timestamptz(3)
);
-- Ticket messages that people were notified of, or did not need to be: an edit is no news.
create table notified_message (
  ticket_message_id text primary key,
  notified_at timestamptz(3) not null
);
create index notified_message_at on notified_message (notified_at);

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
-- The notifications that a user wants; no row: the default.
create table notification_preference (
  team_id text not null,
  chat_user_id text not null,
  level text not null check (level in ('all', 'mine', 'none')),
  primary key (team_id, chat_user_id)
);

-- A question to one user in direct messages, redrawn in place when its content changes (B39, B40).
create table question (
  kind text not null check (kind in ('approval', 'survey')),
  ticket_id text not null,
  user_id text not null,
  team_id text not null,
  channel_id text not null,
  -- Null while the post is on its way.
  ts text,
  -- A digest of its content.
  shown text,
  asked_at timestamptz(3) not null,
  -- Of a survey: the answer, and when it was first given.
  score integer check (score between 1 and 5),
  feedback text,
  answered_at timestamptz(3),
  primary key (kind, ticket_id, user_id)
);
-- One survey for each ticket, even if its requester changes (B40).
create unique index question_survey_once on question (ticket_id) where kind = 'survey';

-- Who knows that messages in this thread are for the team only (B15).
create table note_hint (
  conversation_id text not null references conversation on delete cascade,
  chat_user_id text not null,
  primary key (conversation_id, chat_user_id)
);

-- When a ticket's team is to be reminded of it, and why: each once, even across restarts.
create table reminder (
  ticket_id text not null,
  kind text not null,
  at timestamptz(3) not null,
  -- When it was sent, or turned out to be unnecessary.
  sent_at timestamptz(3),
  primary key (ticket_id, kind, at)
);
create index reminder_open on reminder (at) where sent_at is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Forms, Home and observed channels

-- A form that a user has submitted: kept until it is a ticket (B37).
create table form_draft (
  id text primary key,
  team_id text not null,
  chat_user_id text not null,
  -- Where it was opened.
  context json not null,
  -- By block id.
  filled json not null,
  -- The modal in which it was submitted.
  submitted_view text not null unique,
  -- The user knows that it is kept until the service answers again: notified once, and again when it is a ticket.
  delay_notified boolean not null default false,
  updated_at timestamptz(3) not null
);

-- The Home tabs that users have opened (B38): only these are redrawn when something changes.
create table home (
  team_id text not null,
  chat_user_id text not null,
  -- What the user looks at.
  part text not null default 'all',
  page integer not null default 1,
  -- An error, shown once.
  notice text,
  -- The tickets it shows; null until it was drawn.
  tickets text[],
  digest text,
  opened_at timestamptz(3) not null,
  primary key (team_id, chat_user_id)
);

-- Channels that are only observed: nothing is written there, and nothing for them at the service (B56).
create table observed_channel (
  team_id text not null,
  channel_id text not null,
  queue_id text not null,
  workspace_id text not null,
  requested_by text not null,
  since timestamptz(3) not null,
  primary key (team_id, channel_id)
);

-- The tickets that would have been opened there, by the first message of their thread.
create table observed_ticket (
  team_id text not null,
  channel_id text not null,
  ts text not null,
  title text not null,
  -- Why it would have been opened: a rule and a few words.
  reason text not null,
  chat_user_id text not null,
  seen_at timestamptz(3) not null,
  primary key (team_id, channel_id, ts)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- The bridge itself

create table setting (
  key text primary key,
  value json not null
);

-- How far each of reconciliation's reads has come.
create table cursor (
  key text primary key,
  position timestamptz(3) not null
);
