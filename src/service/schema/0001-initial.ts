import type { Migration } from '../../platform/database/migrate.ts';

// Every table carries workspace_id in its keys, so that the constraints themselves keep workspaces apart and the
// tables can be distributed by workspace. Instants have milliseconds, as in the contract.
export const initial: Migration = {
  name: '0001-initial',
  sql: `
create table workspace (
  id text primary key,
  name text not null,
  slug text not null unique,
  organization_id text,
  creator_id text,
  private boolean not null default false,
  chat_bot_icon_url text,
  chat_bot_username text,
  chat_emoji_actions jsonb,
  brand_icon text,
  brand_color text,
  default_queue_id text,
  settings_id text not null,
  ticket_assignee_scope text,
  disable_chat_user_sync boolean not null default false,
  visible_in_chat boolean not null default true,
  show_in_chat_assistant boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);

create table person (
  workspace_id text not null references workspace,
  id text not null,
  first_name text,
  last_name text,
  email text,
  image text,
  email_verified text,
  is_guest_created boolean not null default false,
  is_bot boolean not null default false,
  idp_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index person_email on person (workspace_id, lower(email));

create table chat_user (
  workspace_id text not null,
  id text not null,
  person_id text not null,
  chat_user_id text not null,
  chat_team_id text,
  chat_app_id text,
  chat_image_url text,
  chat_real_name text,
  chat_display_name text,
  is_bot boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person on delete cascade
);
create unique index chat_user_account on chat_user (workspace_id, chat_user_id, coalesce(chat_team_id, ''));
create index chat_user_person on chat_user (workspace_id, person_id);

create table api_key (
  workspace_id text not null references workspace,
  id text not null,
  prefix text not null,
  name text not null,
  role text not null,
  hash bytea not null unique,
  further_workspace_ids text[] not null default '{}',
  person_id text,
  rate_limit integer,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person
);

create table request_type (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  is_private boolean not null default false,
  default_priority text,
  default_queue_id text,
  default_status_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

create table status_group (
  workspace_id text not null references workspace,
  id text not null,
  label text not null,
  kind text not null check (kind in ('OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED')),
  primary key (workspace_id, id),
  unique (workspace_id, kind)
);

create table status (
  workspace_id text not null,
  id text not null,
  label text not null,
  position integer not null,
  system boolean not null default false,
  status_group_id text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, status_group_id) references status_group,
  unique (workspace_id, position) deferrable initially deferred
);

create table status_request_type (
  workspace_id text not null,
  id text not null,
  status_id text not null,
  request_type_id text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, status_id) references status on delete cascade,
  foreign key (workspace_id, request_type_id) references request_type on delete cascade,
  unique (workspace_id, status_id, request_type_id)
);

create table queue (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  prefix text not null,
  emoji text,
  system boolean not null default false,
  settings_id text not null,
  settings jsonb not null default '{}',
  auto_assignees text[] not null default '{}',
  next_assignee integer not null default 0,
  last_number integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id)
);

-- Every prefix that a queue has ever had: references made with an old one keep resolving.
create table queue_prefix (
  workspace_id text not null,
  prefix text not null,
  queue_id text not null,
  primary key (workspace_id, prefix),
  foreign key (workspace_id, queue_id) references queue on delete cascade
);

create table queue_request_type (
  workspace_id text not null,
  queue_id text not null,
  request_type_id text not null,
  primary key (workspace_id, queue_id, request_type_id),
  foreign key (workspace_id, queue_id) references queue on delete cascade,
  foreign key (workspace_id, request_type_id) references request_type on delete cascade
);

create table chat_channel (
  workspace_id text not null references workspace,
  id text not null,
  channel_id text not null,
  channel_name text,
  type text not null,
  private boolean not null default false,
  queue_id text,
  context_team_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, queue_id) references queue
);
create unique index chat_channel_linked on chat_channel (workspace_id, channel_id) where deleted_at is null;

create table tag (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  color text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index tag_name on tag (workspace_id, lower(name));

create table ticket (
  workspace_id text not null references workspace,
  id text not null,
  queue_id text not null,
  number integer not null,
  short_id text not null,
  title text,
  description text,
  priority text not null,
  published boolean not null default true,
  private boolean not null default false,
  source text not null,
  requester_id text,
  author_id text,
  assignee_id text,
  status_id text not null,
  request_type_id text,
  parent_id text,
  disable_ai_response boolean not null default false,
  assigned_ai_agent text,
  chat_channel_id text,
  custom_fields jsonb not null default '{}',
  approval jsonb,
  published_at timestamptz(3),
  assigned_at timestamptz(3),
  due_at timestamptz(3),
  snooze_until timestamptz(3),
  approved_at timestamptz(3),
  declined_at timestamptz(3),
  start_at timestamptz(3),
  responded_at timestamptz(3),
  resolved_at timestamptz(3),
  closed_at timestamptz(3),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The newest instant given to this ticket or any of its messages: the next one is later.
  stamped_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, queue_id, number),
  unique (workspace_id, short_id),
  foreign key (workspace_id, queue_id) references queue,
  foreign key (workspace_id, status_id) references status,
  foreign key (workspace_id, request_type_id) references request_type,
  foreign key (workspace_id, requester_id) references person,
  foreign key (workspace_id, author_id) references person,
  foreign key (workspace_id, assignee_id) references person,
  foreign key (workspace_id, parent_id) references ticket
);
create index ticket_created on ticket (workspace_id, created_at, id);
create index ticket_updated on ticket (workspace_id, updated_at, id);
create index ticket_status on ticket (workspace_id, status_id);
create index ticket_assignee on ticket (workspace_id, assignee_id);
create index ticket_requester on ticket (workspace_id, requester_id);
create index ticket_parent on ticket (workspace_id, parent_id) where parent_id is not null;

-- Every number that a ticket has ever had in any queue, so that a moved ticket's old reference keeps resolving.
create table ticket_reference (
  workspace_id text not null,
  queue_id text not null,
  number integer not null,
  ticket_id text not null,
  primary key (workspace_id, queue_id, number),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);

create table ticket_approver (
  workspace_id text not null,
  ticket_id text not null,
  person_id text not null,
  position integer not null,
  primary key (workspace_id, ticket_id, person_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person
);
create index ticket_approver_person on ticket_approver (workspace_id, person_id);

create table ticket_follower (
  workspace_id text not null,
  ticket_id text not null,
  person_id text not null,
  position integer not null,
  primary key (workspace_id, ticket_id, person_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person
);
create index ticket_follower_person on ticket_follower (workspace_id, person_id);

create table ticket_tag (
  workspace_id text not null,
  ticket_id text not null,
  tag_id text not null,
  primary key (workspace_id, ticket_id, tag_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, tag_id) references tag on delete cascade
);
create index ticket_tag_tag on ticket_tag (workspace_id, tag_id);

create table csat (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  person_id text not null,
  score integer not null,
  feedback text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person,
  unique (workspace_id, ticket_id, person_id)
);

create table chat_thread (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  type text,
  user_id text,
  app_id text,
  channel_id text not null,
  message_ts text not null,
  mirror_ts text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, user_id) references person,
  unique (workspace_id, channel_id, message_ts)
);
create index chat_thread_ticket on chat_thread (workspace_id, ticket_id);

create table ticket_message (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  content text not null,
  author_id text,
  source text not null,
  status text not null,
  chat_channel_id text,
  private boolean not null default false,
  email_message_id text,
  email_in_reply_to text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, author_id) references person,
  -- Strictly increasing within a ticket, so never twice.
  unique (workspace_id, ticket_id, updated_at)
);
create index ticket_message_created on ticket_message (workspace_id, ticket_id, created_at, id);
create index ticket_message_updated on ticket_message (workspace_id, updated_at, id);

create table chat_message (
  workspace_id text not null,
  id text not null,
  ticket_message_id text not null,
  channel_id text not null,
  ts text not null,
  team_id text,
  thread_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_message_id) references ticket_message on delete cascade,
  unique (workspace_id, channel_id, ts)
);
create index chat_message_message on chat_message (workspace_id, ticket_message_id);

create table reaction (
  workspace_id text not null,
  id text not null,
  ticket_message_id text not null,
  emoji text not null,
  author_id text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_message_id) references ticket_message on delete cascade,
  foreign key (workspace_id, author_id) references person,
  unique (workspace_id, ticket_message_id, emoji, author_id)
);

create table webhook (
  workspace_id text not null references workspace,
  id text not null,
  name text,
  url text not null,
  secret text,
  previous_secret text,
  previous_secret_until timestamptz(3),
  active boolean not null default true,
  event_types text[] not null,
  key_id text,
  failing_since timestamptz(3),
  failed_events integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

create table event (
  workspace_id text not null references workspace,
  id text not null,
  type text not null,
  action text not null,
  -- The very text that is signed and sent: the same bytes over all attempts.
  body text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
);

create table delivery (
  workspace_id text not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  -- Place in the schedule, and how often the schedule was started (redelivery by hand starts it again): a queued job
  -- of another place or an earlier start has nothing to do any more.
  step integer not null default 0,
  round integer not null default 0,
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, webhook_id) references webhook on delete cascade,
  foreign key (workspace_id, event_id) references event,
  unique (workspace_id, webhook_id, event_id)
);
create index delivery_created on delivery (workspace_id, webhook_id, created_at, id);
`,
};
