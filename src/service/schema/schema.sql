-- The service's tables. Each has workspace_id in its keys, so that the constraints themselves keep workspaces apart and
-- the tables can be distributed by workspace. Instants have milliseconds, as in the contract. People are never deleted,
-- so a foreign key to them needs no index; every other one has an index, or deleting a row would read the whole table.

create extension if not exists pg_trgm with schema public;

-- ---------------------------------------------------------------------------------------------------------------------
-- Workspaces, people and API keys

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
  active_personality_id text,
  settings_id text not null,
  ticket_assignee_scope text,
  disable_chat_user_sync boolean not null default false,
  visible_in_chat boolean not null default true,
  show_in_chat_assistant boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);

create table workspace_icon (
  workspace_id text primary key references workspace,
  -- Part of its address, so that a new picture has a new one.
  hash text not null,
  media_type text not null,
  file_name text not null,
  content bytea not null,
  updated_at timestamptz(3) not null
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
  -- What the person may do when signed in.
  role text not null default 'requester' check (role in ('requester', 'agent', 'admin')),
  -- The queues of an agent; null: every queue of the workspace.
  queue_ids text[],
  -- The first time: older tickets are not unread.
  signed_in_at timestamptz(3),
  deactivated_at timestamptz(3),
  erased_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
-- Those who have an inbox.
create index person_of_team on person (workspace_id, id) where role <> 'requester';
create unique index person_email on person (workspace_id, lower(email));

-- A person's account in chat.
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
  -- The source of the tickets and messages that are written with it.
  source text not null default 'API',
  hash bytea not null unique,
  further_workspace_ids text[] not null default '{}',
  -- The queues whose tickets it reads and writes; null: all.
  queue_ids text[],
  person_id text,
  -- The person in whose session it was made, or in whose session the key was made that made it.
  made_by text,
  -- Requests a minute; null: the service's default; 0: no limit.
  rate_limit integer,
  -- The data directory whose own key this is (`secrets.json`): a new key of the same directory replaces it.
  data_directory text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- When it stopped because the person who made it left: it is revoked, and an admin can take it over.
  stopped_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person
);
create index api_key_data_directory on api_key (data_directory) where data_directory is not null;
create index api_key_made_by on api_key (workspace_id, made_by) where made_by is not null;

-- A signed-in person. Deleting the row ends the session.
create table session (
  workspace_id text not null,
  id text not null,
  person_id text not null,
  -- The account with which the person signed in; null: by a link.
  identity_id text,
  -- SHA-256 of the token, which is stored nowhere.
  hash bytea not null unique,
  -- Where the person signed in.
  address text,
  user_agent text,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person on delete cascade
);
create index session_person on session (workspace_id, person_id);
create index session_expires on session (expires_at);

-- A person's account at an OpenID provider.
create table identity (
  workspace_id text not null,
  id text not null default 'idn_' || replace(gen_random_uuid()::text, '-', ''),
  issuer text not null,
  subject text not null,
  person_id text not null,
  -- The verified e-mail address that the provider named at the latest sign-in, so that people recognise the account.
  email text,
  -- The Slack workspace of the account, if it is one of Slack.
  team_id text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  primary key (workspace_id, issuer, subject),
  foreign key (workspace_id, person_id) references person on delete cascade
);
create unique index identity_id on identity (workspace_id, id);
create index identity_account on identity (issuer, subject);
create index identity_person on identity (workspace_id, person_id);

-- A link that signs a person in once.
create table sign_in_link (
  -- SHA-256 of the code in the link, which is stored nowhere.
  hash bytea primary key,
  workspace_id text not null,
  person_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  foreign key (workspace_id, person_id) references person on delete cascade
);
create index sign_in_link_person on sign_in_link (workspace_id, person_id);
create index sign_in_link_expires on sign_in_link (expires_at);

-- A started OpenID sign-in. Who signs in, and so the workspace, is not known yet.
create table sign_in_flow (
  -- SHA-256 of the browser's cookie.
  hash bytea primary key,
  provider text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sign_in_flow_expires on sign_in_flow (expires_at);

-- Every process keeps the keys and sessions that it has read until this notification (keys/known-callers.ts).
create function notify_key_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('deskbridge_keys', '');
  return null;
end $$;
create trigger api_key_changed
  after delete or update of role, source, hash, further_workspace_ids, person_id, rate_limit, revoked_at on api_key
  for each statement execute function notify_key_change();
create trigger session_ended after delete on session for each row execute function notify_key_change();
create trigger person_access_changed
  after update of role, queue_ids, deactivated_at, erased_at on person for each row
  when ((old.role, old.queue_ids, old.deactivated_at, old.erased_at)
    is distinct from (new.role, new.queue_ids, new.deactivated_at, new.erased_at))
  execute function notify_key_change();

-- ---------------------------------------------------------------------------------------------------------------------
-- Queues, statuses, request types and forms

-- Spans of a week in a time zone, and dates without any.
create table business_hours (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  time_zone text not null,
  days jsonb not null,
  holidays jsonb not null default '[]',
  is_default boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index business_hours_default on business_hours (workspace_id) where is_default;

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
  -- Who reads its tickets that are not private (access/viewer.ts).
  visibility text not null default 'workspace' check (visibility in ('workspace', 'agents', 'team')),
  -- Null: the workspace's default ones.
  business_hours_id text,
  next_assignee integer not null default 0,
  last_number integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, business_hours_id) references business_hours
);
create index queue_business_hours on queue (workspace_id, business_hours_id);
-- Every read of tickets asks for these, and there are few.
create index queue_not_for_all on queue (id) where visibility <> 'workspace';
alter table workspace add foreign key (id, default_queue_id) references queue;
create index workspace_queue on workspace (id, default_queue_id);

-- Every prefix that a queue has ever had: references with an old one keep resolving.
create table queue_prefix (
  workspace_id text not null,
  prefix text not null,
  queue_id text not null,
  primary key (workspace_id, prefix),
  foreign key (workspace_id, queue_id) references queue on delete cascade
);
create index queue_prefix_queue on queue_prefix (workspace_id, queue_id);

-- What the statuses of a group mean, whatever their labels are; the values of `legacyStatus`.
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
create index status_by_group on status (workspace_id, status_group_id);

create table request_type (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  type text not null default 'request-type' check (type in ('request-type', 'collection')),
  parent_id text,
  description text,
  emoji text,
  icon text,
  color text,
  is_default boolean not null default false,
  is_private boolean not null default false,
  published boolean not null default true,
  form_enabled boolean not null default false,
  title_template text,
  default_priority text,
  default_queue_id text,
  default_status_id text,
  default_task_template_id text,
  job_id text,
  ai_examples text,
  ai_response text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, parent_id) references request_type,
  foreign key (workspace_id, default_queue_id) references queue,
  foreign key (workspace_id, default_status_id) references status,
  check (parent_id <> id)
);
create index request_type_parent on request_type (workspace_id, parent_id) where parent_id is not null;
create index request_type_queue on request_type (workspace_id, default_queue_id);
create index request_type_status on request_type (workspace_id, default_status_id);
create unique index request_type_default on request_type (workspace_id) where is_default;
-- An id names one record, whichever workspace it is in; so for the tables of AI agents.
create unique index request_type_id on request_type (id);

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
create index status_request_type_type on status_request_type (workspace_id, request_type_id);

create table queue_request_type (
  workspace_id text not null,
  queue_id text not null,
  request_type_id text not null,
  primary key (workspace_id, queue_id, request_type_id),
  foreign key (workspace_id, queue_id) references queue on delete cascade,
  foreign key (workspace_id, request_type_id) references request_type on delete cascade
);
create index queue_request_type_type on queue_request_type (workspace_id, request_type_id);

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

create table request_type_tag (
  workspace_id text not null,
  request_type_id text not null,
  tag_id text not null,
  primary key (workspace_id, request_type_id, tag_id),
  foreign key (workspace_id, request_type_id) references request_type on delete cascade,
  foreign key (workspace_id, tag_id) references tag on delete cascade
);
create index request_type_tag_tag on request_type_tag (workspace_id, tag_id);

create table custom_field (
  workspace_id text not null references workspace,
  id text not null,
  key text not null,
  label text not null,
  description text,
  required boolean not null default false,
  system boolean not null default false,
  type text not null,
  config jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, key)
);

create table custom_field_option (
  workspace_id text not null,
  id text not null,
  custom_field_id text not null,
  value text not null,
  position integer not null,
  description text,
  color text,
  icon text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, custom_field_id) references custom_field on delete cascade,
  unique (workspace_id, custom_field_id, value) deferrable initially deferred
);

-- A field of a request type's form.
create table request_type_custom_field (
  workspace_id text not null,
  id text not null,
  request_type_id text not null,
  custom_field_id text not null,
  position integer not null,
  private boolean not null default false,
  required boolean not null default false,
  ticket_field text,
  -- Shown only while the field named here has the value depends_on_value.
  parent_id text,
  depends_on_value text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, request_type_id) references request_type on delete cascade,
  foreign key (workspace_id, custom_field_id) references custom_field on delete cascade,
  foreign key (workspace_id, parent_id) references request_type_custom_field
    on delete set null (parent_id) deferrable initially deferred,
  unique (workspace_id, request_type_id, custom_field_id)
);
create index request_type_custom_field_field on request_type_custom_field (workspace_id, custom_field_id);
create index request_type_custom_field_parent on request_type_custom_field (workspace_id, parent_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Channels

-- The installed app through which channels are reached. The bridge keeps its credentials; the service never sees them.
create table chat_app (
  workspace_id text not null references workspace,
  id text not null,
  app_id text not null,
  team_id text,
  team_name text,
  team_domain text,
  team_url text,
  bot_user_id text,
  enterprise_id text,
  enterprise_name text,
  is_enterprise_install boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index chat_app_installed on chat_app (workspace_id, app_id, coalesce(team_id, ''));

-- A Slack workspace (T…) that a bridge serves, or an organisation (E…), for the whole service. Anybody may have one and
-- give its people any e-mail address: the people of one that is not trusted are guests of their own.
create table chat_team (
  id text primary key,
  name text,
  -- The organisation that a workspace belongs to; its trust covers the workspace.
  organisation_id text,
  trusted boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
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
  chat_app_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, queue_id) references queue,
  foreign key (workspace_id, chat_app_id) references chat_app
);
create unique index chat_channel_linked on chat_channel (workspace_id, channel_id) where deleted_at is null;
create index chat_channel_app on chat_channel (workspace_id, chat_app_id);
create index chat_channel_queue on chat_channel (workspace_id, queue_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Tickets

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
  -- Later messages of this ticket are stored on that one.
  merged_into_id text,
  disable_ai_response boolean not null default false,
  assigned_ai_agent text,
  chat_channel_id text,
  custom_fields jsonb not null default '{}',
  approval jsonb,
  -- Who is answering the ticket, and until when that is shown.
  claim_person_id text,
  claim_until timestamptz(3),
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
  -- The ends of the queue's targets, in business hours; null once met.
  first_reply_due_at timestamptz(3),
  resolution_due_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Who made the last change, if known: it is not unread for them.
  updated_by text,
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
  foreign key (workspace_id, claim_person_id) references person,
  foreign key (workspace_id, parent_id) references ticket,
  foreign key (workspace_id, merged_into_id) references ticket,
  check ((claim_person_id is null) = (claim_until is null))
);
create index ticket_created on ticket (workspace_id, created_at, id);
create index ticket_updated on ticket (workspace_id, updated_at, id);
-- For analytics of a period.
create index ticket_resolved on ticket (workspace_id, resolved_at) where resolved_at is not null;
create index ticket_responded on ticket (workspace_id, responded_at) where responded_at is not null;
create index ticket_status on ticket (workspace_id, status_id);
create index ticket_assignee on ticket (workspace_id, assignee_id);
create index ticket_requester on ticket (workspace_id, requester_id);
-- Most people write their own tickets.
create index ticket_author on ticket (workspace_id, author_id) where author_id is distinct from requester_id;
create index ticket_request_type on ticket (workspace_id, request_type_id) where request_type_id is not null;
create index ticket_parent on ticket (workspace_id, parent_id) where parent_id is not null;
-- Few are snoozed.
create index ticket_snoozed on ticket (workspace_id, snooze_until) where snooze_until is not null;
create index ticket_merged_into on ticket (workspace_id, merged_into_id) where merged_into_id is not null;
-- Lists stay fast however many tickets there are (measured by bench/growth.ts). This one counts a list from the index.
create index ticket_listed_by_status on ticket (workspace_id, status_id) where published and archived_at is null;
-- A person's tickets by status, then in the order of lists: even of a person with many tickets, few are open.
create index ticket_by_requester on ticket (workspace_id, requester_id, status_id, created_at, id)
  where published and archived_at is null;
create index ticket_by_assignee on ticket (workspace_id, assignee_id, status_id, created_at, id)
  where published and archived_at is null;

-- The earliest due time. A ticket without one is not in it, so its writes are no slower.
create index ticket_due on ticket (workspace_id, least(first_reply_due_at, resolution_due_at, due_at))
  where least(first_reply_due_at, resolution_due_at, due_at) is not null;

-- Every number that a ticket has ever had in any queue, so that a moved ticket's old reference keeps resolving.
create table ticket_reference (
  workspace_id text not null,
  queue_id text not null,
  number integer not null,
  ticket_id text not null,
  primary key (workspace_id, queue_id, number),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_reference_ticket on ticket_reference (workspace_id, ticket_id);

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

create table ticket_tag (
  workspace_id text not null,
  ticket_id text not null,
  tag_id text not null,
  primary key (workspace_id, ticket_id, tag_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, tag_id) references tag on delete cascade
);
create index ticket_tag_tag on ticket_tag (workspace_id, tag_id);

-- Changes of tickets that people look up. Values are ids or texts; names are read with their records, so an erasure
-- finds only titles here.
create table ticket_activity (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  kind text not null check (kind in ('changed', 'merged', 'unmerged', 'linked', 'unlinked', 'opened')),
  actor_kind text not null check (actor_kind in ('person', 'key', 'agent', 'system')),
  actor_id text,
  field text not null,
  old_value text,
  new_value text,
  at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_activity_ticket on ticket_activity (workspace_id, ticket_id, at, id);

create table ticket_link (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  other_id text not null,
  kind text not null check (kind in ('related', 'duplicate', 'blocks')),
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, other_id) references ticket on delete cascade,
  unique (workspace_id, ticket_id, other_id, kind)
);
create index ticket_link_other on ticket_link (workspace_id, other_id);

-- Who is looking at a ticket. Unlogged: it is worth nothing after a crash, and is written often.
create unlogged table ticket_presence (
  workspace_id text not null,
  person_id text not null,
  ticket_id text not null,
  state text not null check (state in ('viewing', 'typing')),
  expires_at timestamptz(3) not null,
  primary key (workspace_id, person_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person
);
create index ticket_presence_ticket on ticket_presence (workspace_id, ticket_id);

-- A requester's rating of a ticket (customer satisfaction).
create table csat (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  person_id text not null,
  score integer not null check (score between 1 and 5),
  feedback text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person,
  unique (workspace_id, ticket_id, person_id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Messages, and where tickets and messages are in chat

create table ticket_message (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  content text not null,
  author_id text,
  -- The AI agent that wrote it: it has no author.
  ai_agent_id text,
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
  -- Strictly increasing within a ticket, so no value comes twice.
  unique (workspace_id, ticket_id, updated_at)
);
create index ticket_message_created on ticket_message (workspace_id, ticket_id, created_at, id);
create index ticket_message_updated on ticket_message (workspace_id, updated_at, id);

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

-- A ticket's thread in chat.
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
  -- Since when another thread of the ticket replaces this one: it is not listed, but still leads to the ticket.
  replaced_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, user_id) references person,
  unique (workspace_id, channel_id, message_ts)
);
create index chat_thread_ticket on chat_thread (workspace_id, ticket_id);
create index chat_thread_message on chat_thread (workspace_id, message_ts);
create index chat_thread_mirror on chat_thread (workspace_id, mirror_ts) where mirror_ts is not null;

-- A ticket message's post in chat.
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
create index chat_message_ts on chat_message (workspace_id, ts);

-- ---------------------------------------------------------------------------------------------------------------------
-- What agents save for their work

-- A saved list of tickets.
create table view (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  -- Null: a program created it, or its owner was erased.
  owner_id text,
  -- Whether all agents see it, or only its owner.
  is_shared boolean not null,
  -- Parameters of the ticket list.
  filters jsonb not null,
  sort_by text,
  sort_direction text check (sort_direction in ('asc', 'desc')),
  position integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references person,
  check (is_shared or owner_id is not null)
);

create table canned_reply (
  workspace_id text not null references workspace,
  id text not null,
  title text not null,
  shortcut text not null,
  content text not null,
  -- As of a view.
  owner_id text,
  is_shared boolean not null,
  -- The queues on whose tickets it is offered; empty: all.
  queue_ids text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references person,
  check (is_shared or owner_id is not null)
);
create unique index canned_reply_shared on canned_reply (workspace_id, shortcut) where is_shared;
create unique index canned_reply_personal on canned_reply (workspace_id, owner_id, shortcut) where not is_shared;

-- A person's unsent message on a ticket.
create table ticket_draft (
  workspace_id text not null,
  ticket_id text not null,
  person_id text not null,
  content text not null,
  is_private boolean not null,
  -- Of files that are not attached yet; some may be gone.
  file_ids text[] not null default '{}',
  updated_at timestamptz(3) not null,
  primary key (workspace_id, ticket_id, person_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, person_id) references person on delete cascade
);
create index ticket_draft_person on ticket_draft (workspace_id, person_id);
create index ticket_draft_updated on ticket_draft (updated_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Inbox and unread tickets, of people with the role agent or admin

create table notification (
  workspace_id text not null,
  id text not null,
  person_id text not null,
  kind text not null,
  ticket_id text not null,
  message_id text,
  -- The message, the change, or for `approval` the ticket: each is notified of once.
  source_id text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  read_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, person_id) references person on delete cascade,
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, message_id) references ticket_message on delete cascade,
  unique (workspace_id, person_id, source_id, kind)
);
create index notification_newest on notification (workspace_id, person_id, created_at, id);
create index notification_unread on notification (workspace_id, person_id, ticket_id) where read_at is null;
create index notification_ticket on notification (workspace_id, ticket_id);
create index notification_message on notification (workspace_id, message_id) where message_id is not null;
-- For retention.
create index notification_created on notification (created_at);

-- A change of a ticket that people may have to be notified of, until they are (notifications/derive.ts).
create table notification_change (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  facts jsonb not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index notification_change_ticket on notification_change (workspace_id, ticket_id);

-- Where the search for new tickets and messages continues.
create table notification_progress (
  workspace_id text primary key references workspace on delete cascade,
  -- Nobody is notified of anything older.
  since timestamptz(3) not null,
  -- Ids from here on are read again.
  tickets_from text not null,
  messages_from text not null
);

-- Until when a person has seen a ticket.
create table ticket_read (
  workspace_id text not null,
  person_id text not null,
  ticket_id text not null,
  seen_at timestamptz(3) not null,
  primary key (workspace_id, person_id, ticket_id),
  foreign key (workspace_id, person_id) references person on delete cascade,
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_read_ticket on ticket_read (workspace_id, ticket_id);
-- For retention.
create index ticket_read_seen on ticket_read (seen_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Files

-- The bytes of files, each kept once.
create table file_content (
  workspace_id text not null references workspace,
  id text not null,
  -- SHA-256 in hexadecimal; null while the bytes arrive.
  hash text,
  size bigint not null,
  -- When an upload last needed it: not removed soon after, though no file may have it yet.
  used_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, hash)
);
create index file_content_size on file_content (workspace_id) include (size);
create index file_content_used on file_content (used_at);

create table file_chunk (
  workspace_id text not null,
  content_id text not null,
  -- Of its first byte.
  position bigint not null,
  bytes bytea not null,
  primary key (workspace_id, content_id, position),
  foreign key (workspace_id, content_id) references file_content on delete cascade
);
-- Screenshots are compressed already.
alter table file_chunk alter column bytes set storage external;

-- A small copy of an image; without bytes if none can be made.
create table file_thumbnail (
  workspace_id text not null,
  hash text not null,
  bytes bytea,
  created_at timestamptz(3) not null,
  primary key (workspace_id, hash),
  foreign key (workspace_id, hash) references file_content (workspace_id, hash) on delete cascade
);

create table file (
  workspace_id text not null references workspace,
  id text not null,
  ticket_id text,
  -- Null for a file of the ticket itself.
  ticket_message_id text,
  -- Until then only its author sees it.
  attached_at timestamptz(3),
  hash text not null,
  name text not null,
  type text not null,
  size bigint not null,
  width integer,
  height integer,
  author_id text,
  -- What the program that uploaded it knows it by.
  key text,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade,
  foreign key (workspace_id, ticket_message_id) references ticket_message on delete cascade,
  foreign key (workspace_id, hash) references file_content (workspace_id, hash),
  foreign key (workspace_id, author_id) references person,
  check (ticket_id is not null or ticket_message_id is null and attached_at is null)
);
create index file_ticket on file (workspace_id, ticket_id);
create index file_message on file (workspace_id, ticket_message_id) where ticket_message_id is not null;
create index file_hash on file (workspace_id, hash);
create unique index file_key on file (workspace_id, ticket_id, key) where key is not null;
create index file_waiting on file (created_at) where attached_at is null;

-- ---------------------------------------------------------------------------------------------------------------------
-- Webhooks, events and the audit log

create table webhook (
  workspace_id text not null references workspace,
  id text not null,
  name text,
  url text not null,
  -- Encrypted, as previous_secret is (webhooks/secrets.ts).
  secret text,
  -- Signs beside `secret` until previous_secret_until.
  previous_secret text,
  previous_secret_until timestamptz(3),
  active boolean not null default true,
  -- Why it is not active; null while it is, and after a user switched it off.
  deactivated_reason text check (deactivated_reason in ('key-revoked', 'person-left', 'gone', 'failing')),
  event_types text[] not null,
  -- The key that created it.
  key_id text,
  -- The person in whose session it was made, or in whose session the API key was made that made it.
  made_by text,
  -- A chat program (the bridge) registered it: its secret and the end of its URL are for that program's key alone.
  serves_chat boolean not null default false,
  -- First failure since the last success, and how many events failed since.
  failing_since timestamptz(3),
  failed_events integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index webhook_key on webhook (key_id) where key_id is not null;
create index webhook_made_by on webhook (workspace_id, made_by) where made_by is not null;

create table event (
  workspace_id text not null references workspace,
  id text not null,
  type text not null,
  action text not null,
  -- The exact text that is signed and sent: the same bytes at each attempt.
  body text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index event_created on event (created_at);

create table delivery (
  workspace_id text not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  -- Step in the schedule, and how often the schedule was started (redelivery by hand starts it again): a queued job of
  -- another step or an earlier start is stale.
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
create index delivery_event on delivery (workspace_id, event_id);
-- Retention deletes every delivery that ended, whatever its outcome.
create index delivery_ended on delivery (updated_at) where state <> 'pending';

-- Who did what: the person or the API key; neither where the service itself did it. No foreign keys: an entry outlives
-- what it names.
create table audit_entry (
  workspace_id text not null references workspace,
  id text not null,
  action text not null,
  actor_id text,
  actor_key_id text,
  subject_id text,
  reason text not null,
  detail jsonb,
  created_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create index audit_entry_created on audit_entry (workspace_id, created_at, id);
-- Whether it is known already that an admin opened a ticket (tickets/opened.ts).
create index audit_entry_opened on audit_entry (workspace_id, subject_id, created_at) where action = 'ticket.opened';
-- For retention, which has no workspace.
create index audit_entry_old on audit_entry (created_at);

-- A text that is encrypted with the same key as every secret here: a wrong key shows at the start.
create table encryption_check (
  only_row boolean primary key default true check (only_row),
  sample text not null
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Knowledge bases, AI agents, workflows and applications

create table personality (
  workspace_id text not null references workspace,
  id text not null,
  persona text,
  tone text,
  emoji text,
  length text,
  greeting text,
  branding text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index personality_id on personality (id);
alter table workspace add foreign key (id, active_personality_id) references personality;
create index workspace_personality on workspace (id, active_personality_id);

create table knowledge_base (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  system boolean not null default false,
  global boolean not null default false,
  last_sync_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index knowledge_base_id on knowledge_base (id);
create unique index knowledge_base_name on knowledge_base (workspace_id, lower(name));

create table knowledge_base_document (
  workspace_id text not null,
  id text not null,
  knowledge_base_id text not null,
  title text not null,
  content text not null,
  url text,
  -- Its search index; null while it has to be indexed.
  words tsvector,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, knowledge_base_id) references knowledge_base on delete cascade
);
create index knowledge_base_document_base on knowledge_base_document (workspace_id, knowledge_base_id);
create index knowledge_base_document_words on knowledge_base_document using gin (words);
create index knowledge_base_document_unread on knowledge_base_document (workspace_id, id) where words is null;

create table queue_knowledge_base (
  workspace_id text not null,
  queue_id text not null,
  knowledge_base_id text not null,
  primary key (workspace_id, queue_id, knowledge_base_id),
  foreign key (workspace_id, queue_id) references queue on delete cascade,
  foreign key (workspace_id, knowledge_base_id) references knowledge_base on delete cascade
);
create index queue_knowledge_base_base on queue_knowledge_base (workspace_id, knowledge_base_id);

create table workflow (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  description text,
  is_template boolean not null default false,
  collection_id text,
  connections jsonb not null default '[]',
  steps jsonb not null default '[]',
  author_id text,
  state text not null check (state in ('Active', 'Draft', 'Deprovisioning', 'Deleted')),
  reference text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, author_id) references person
);

create table ai_agent (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  description text,
  image_url text,
  personality_id text,
  enabled boolean not null default true,
  respond_on_message text not null default 'all-messages',
  respond_on_mention boolean not null default true,
  auto_classify boolean not null default false,
  auto_tag boolean not null default false,
  only_respond_to_requests boolean not null default false,
  negative_feedback_auto_create boolean not null default false,
  auto_escalate boolean not null default false,
  available_in_dm boolean not null default false,
  tools text[] not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, personality_id) references personality
);
create unique index ai_agent_id on ai_agent (id);
create index ai_agent_personality on ai_agent (workspace_id, personality_id);

-- What an AI agent works on and with.
create table ai_agent_chat_channel (
  workspace_id text not null,
  ai_agent_id text not null,
  chat_channel_id text not null,
  primary key (workspace_id, ai_agent_id, chat_channel_id),
  foreign key (workspace_id, ai_agent_id) references ai_agent on delete cascade,
  foreign key (workspace_id, chat_channel_id) references chat_channel on delete cascade
);
create index ai_agent_chat_channel_channel on ai_agent_chat_channel (workspace_id, chat_channel_id);
create table ai_agent_queue (
  workspace_id text not null,
  ai_agent_id text not null,
  queue_id text not null,
  primary key (workspace_id, ai_agent_id, queue_id),
  foreign key (workspace_id, ai_agent_id) references ai_agent on delete cascade,
  foreign key (workspace_id, queue_id) references queue on delete cascade
);
create index ai_agent_queue_queue on ai_agent_queue (workspace_id, queue_id);
create table ai_agent_knowledge_base (
  workspace_id text not null,
  ai_agent_id text not null,
  knowledge_base_id text not null,
  primary key (workspace_id, ai_agent_id, knowledge_base_id),
  foreign key (workspace_id, ai_agent_id) references ai_agent on delete cascade,
  foreign key (workspace_id, knowledge_base_id) references knowledge_base on delete cascade
);
create index ai_agent_knowledge_base_base on ai_agent_knowledge_base (workspace_id, knowledge_base_id);
create table ai_agent_request_type (
  workspace_id text not null,
  ai_agent_id text not null,
  request_type_id text not null,
  primary key (workspace_id, ai_agent_id, request_type_id),
  foreign key (workspace_id, ai_agent_id) references ai_agent on delete cascade,
  foreign key (workspace_id, request_type_id) references request_type on delete cascade
);
create index ai_agent_request_type_type on ai_agent_request_type (workspace_id, request_type_id);
create table ai_agent_workflow (
  workspace_id text not null,
  ai_agent_id text not null,
  workflow_id text not null,
  primary key (workspace_id, ai_agent_id, workflow_id),
  foreign key (workspace_id, ai_agent_id) references ai_agent on delete cascade,
  foreign key (workspace_id, workflow_id) references workflow on delete cascade
);
create index ai_agent_workflow_workflow on ai_agent_workflow (workspace_id, workflow_id);

-- The outcome of each question to AI agents, written with the answer itself: a question is answered once, even when a
-- process is killed in between.
create table ai_answer (
  workspace_id text not null,
  ticket_id text not null,
  -- The message that asked, or the ticket itself.
  question_id text not null,
  ai_agent_id text,
  outcome text not null check (outcome in ('answered', 'silent', 'handed-over', 'no-answer')),
  reason text not null,
  ticket_message_id text,
  created_at timestamptz(3) not null,
  primary key (workspace_id, ticket_id, question_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ai_answer_message on ai_answer (workspace_id, ticket_message_id) where ticket_message_id is not null;

create table application (
  workspace_id text not null references workspace,
  id text not null,
  name text not null,
  domain text,
  image_url text,
  owner_id text,
  integration_application_id text,
  price double precision,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  approval_strategy text check (approval_strategy in ('All', 'Any', 'Majority')),
  access_levels jsonb not null default '[]',
  approver_ids text[] not null default '{}',
  approver_group_ids text[] not null default '{}',
  integration jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, owner_id) references person
);
create unique index application_name on application (workspace_id, lower(name));

-- ---------------------------------------------------------------------------------------------------------------------
-- Search
--
-- The index of words is written in TypeScript (search/index/write.ts), which can read Markdown. Triggers only mark what
-- has to be indexed: no writer can forget it. The transaction that wrote it indexes it before it ends; what a transaction
-- left, a loop indexes soon after (search/index/indexing.ts).

create table search_setting (
  only_row boolean primary key default true check (only_row),
  -- A text search configuration; not regconfig, which pg_upgrade refuses in tables.
  language text not null,
  -- The language of every row of the index; another one, or null, while it is being rebuilt.
  indexed_language text,
  -- The version of the reader of every row; a newer one, which reads words in another way, indexes everything again.
  reader_version integer not null default 0,
  -- The embedding providers; each ticket that changes is queued for all of them.
  providers text[] not null default '{}',
  -- The model of each provider; with another one, all vectors are made again.
  models jsonb not null default '{}'
);
insert into search_setting (language, indexed_language) values ('english', 'english');

create table ticket_search (
  workspace_id text not null,
  ticket_id text not null,
  created_at timestamptz(3) not null,
  -- Whether lists show it: published and not archived.
  listed boolean not null,
  -- Only its requester, author, assignee, approvers and followers may find it.
  private boolean not null default false,
  -- Without case and in one spelling of accents, to find an exact title.
  title text not null,
  -- The stems of the title, for the share of it that was searched for; ticket_word finds tickets by it.
  title_words tsvector not null default '',
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_search_newest on ticket_search (workspace_id, created_at desc) where listed;
-- A title of any length fits into a hash index.
create index ticket_search_exact_title on ticket_search using hash (title);

-- The words of a ticket: one row for each of its texts, and one for each message. A text of more words than a row can hold
-- has several.
create table ticket_word (
  workspace_id text not null,
  ticket_id text not null,
  -- Empty for the texts of the ticket itself.
  message_id text not null default '',
  -- 'text' is the description, people, references, file names and public custom fields. A 'note' (a private message, private
  -- custom fields) is searched only for who may read it.
  field text not null check (field in ('title', 'text', 'message', 'note')),
  part integer not null default 0,
  -- When the ticket was created.
  ticket_at timestamptz(3) not null,
  words tsvector not null,
  primary key (workspace_id, ticket_id, message_id, field, part),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
-- New entries of a GIN index wait in a list that every search reads from end to end; with the usual 4 MB that cost more
-- than the search itself.
create index ticket_word_words on ticket_word using gin (words) with (gin_pending_list_limit = 256);
-- Small, and its matches rank first.
create index ticket_word_title on ticket_word using gin (words) with (gin_pending_list_limit = 256) where field = 'title';
create index ticket_word_newest on ticket_word (workspace_id, ticket_at desc);

-- Every word that was ever written, in lower case, for typing errors. Words are never removed, and a word that two
-- transactions write at the same moment is stored twice, so that no write waits for another one or fails because of it; a
-- search takes each word once.
create table search_word (
  workspace_id text not null references workspace on delete cascade,
  word text not null
);
create index search_word_known on search_word (workspace_id, word);
create index search_word_like on search_word using gin (word gin_trgm_ops) with (gin_pending_list_limit = 256);

-- Words similar to one; the edit distance decides among them. The threshold is lower than the extension's own (0.3), which
-- misses a wrong letter in a short word; it is set for this function alone.
create function similar_words(searched text, of_workspaces text[], most integer) returns table (word text)
language sql stable set search_path from current set pg_trgm.similarity_threshold = 0.25 as $$
  select w.word from search_word w
  where w.word % searched and w.workspace_id = any(of_workspaces)
  group by w.word order by similarity(searched, w.word) desc, w.word
  limit most
$$;

-- What has to be indexed, and the transaction that marked it.
create table search_mark (
  workspace_id text not null,
  ticket_id text not null,
  -- Empty for the ticket's own texts.
  message_id text not null,
  transaction_id bigint not null default (pg_current_xact_id()::text::bigint)
);
create index search_mark_transaction on search_mark (transaction_id);

create function mark_ticket() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.id, '');
  return null;
end $$;
create trigger mark_ticket_insert after insert on ticket for each row execute function mark_ticket();
create trigger mark_ticket_update
  after update of title, description, published, archived_at, private, requester_id, assignee_id, author_id,
    request_type_id, custom_fields, created_at
  on ticket for each row when (
    (old.title, old.description, old.published, old.archived_at, old.private, old.requester_id, old.assignee_id,
      old.author_id, old.request_type_id, old.custom_fields, old.created_at)
    is distinct from (new.title, new.description, new.published, new.archived_at, new.private, new.requester_id,
      new.assignee_id, new.author_id, new.request_type_id, new.custom_fields, new.created_at))
  execute function mark_ticket();

-- The references of a ticket; their lexemes name the queue, not its prefix, which may change.
create function mark_reference() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (old.workspace_id, old.ticket_id, '');
  end if;
  if tg_op <> 'DELETE' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.ticket_id, '');
  end if;
  return null;
end $$;
create trigger mark_reference after insert or update or delete on ticket_reference
  for each row execute function mark_reference();

create function mark_message() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' then
    insert into search_mark (workspace_id, ticket_id, message_id) values (old.workspace_id, old.ticket_id, old.id);
  end if;
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and new.ticket_id <> old.ticket_id then
    insert into search_mark (workspace_id, ticket_id, message_id) values (new.workspace_id, new.ticket_id, new.id);
  end if;
  return null;
end $$;
create trigger mark_message_insert_delete after insert or delete on ticket_message
  for each row execute function mark_message();
create trigger mark_message_update after update of content, private, deleted_at, ticket_id on ticket_message for each row
  when ((old.content, old.private, old.deleted_at, old.ticket_id)
    is distinct from (new.content, new.private, new.deleted_at, new.ticket_id))
  execute function mark_message();

-- A file's name is found like the words of its message or ticket.
create function mark_file() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' and old.attached_at is not null then
    insert into search_mark (workspace_id, ticket_id, message_id)
      values (old.workspace_id, old.ticket_id, coalesce(old.ticket_message_id, ''));
  end if;
  if tg_op <> 'DELETE' and new.attached_at is not null then
    insert into search_mark (workspace_id, ticket_id, message_id)
      values (new.workspace_id, new.ticket_id, coalesce(new.ticket_message_id, ''));
  end if;
  return null;
end $$;
create trigger mark_file_insert_delete after insert or delete on file for each row execute function mark_file();
create trigger mark_file_update after update of ticket_id, ticket_message_id, attached_at, name on file for each row
  when ((old.ticket_id, old.ticket_message_id, old.attached_at, old.name)
    is distinct from (new.ticket_id, new.ticket_message_id, new.attached_at, new.name))
  execute function mark_file();

-- Marks the tickets that have a value in a custom field of one of these types; most workspaces have no such field, and
-- then no ticket is read.
create function mark_value(of_workspace text, value text, types text[]) returns void
language sql set search_path from current as $$
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = of_workspace and t.custom_fields <> '{}'
      and exists (select from custom_field f where f.workspace_id = of_workspace and f.type = any(types))
      and jsonb_path_exists(t.custom_fields, '$.* ? (@ == $value)', jsonb_build_object('value', value))
$$;

create function mark_tickets_of_person() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id)
    select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and requester_id = new.id
    union select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and assignee_id = new.id
    union select workspace_id, id, '' from ticket where workspace_id = new.workspace_id and author_id = new.id
      and author_id is distinct from requester_id;
  perform mark_value(new.workspace_id, new.id, array['USER_SELECT', 'USER_MULTI_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_person after update of first_name, last_name, email on person for each row
  when ((old.first_name, old.last_name, old.email) is distinct from (new.first_name, new.last_name, new.email))
  execute function mark_tickets_of_person();

create function mark_tickets_of_tag() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['TAG_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_tag after update of name or delete on tag for each row
  execute function mark_tickets_of_tag();

create function mark_tickets_of_status() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['STATUS_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_status after update of label or delete on status for each row
  execute function mark_tickets_of_status();

create function mark_tickets_of_option() returns trigger language plpgsql set search_path from current as $$
begin
  perform mark_value(old.workspace_id, old.id, array['SELECT', 'MULTI_SELECT']);
  return null;
end $$;
create trigger mark_tickets_of_option after update of value or delete on custom_field_option for each row
  execute function mark_tickets_of_option();

-- Whether a field is private decides who finds a ticket by its value.
create function mark_tickets_of_form() returns trigger language plpgsql set search_path from current as $$
declare
  changed request_type_custom_field := case when tg_op = 'DELETE' then old else new end;
  key text := (select f.key from custom_field f
    where f.workspace_id = changed.workspace_id and f.id = changed.custom_field_id);
begin
  -- A private field is private on tickets of other types too, where these do not have it.
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = changed.workspace_id and t.request_type_id = changed.request_type_id and t.custom_fields ? key;
  if changed.private or tg_op = 'UPDATE' then
    insert into search_mark (workspace_id, ticket_id, message_id)
      select t.workspace_id, t.id, '' from ticket t
      where t.workspace_id = changed.workspace_id and t.request_type_id is distinct from changed.request_type_id
        and t.custom_fields <> '{}' and t.custom_fields ? key;
  end if;
  return null;
end $$;
create trigger mark_tickets_of_form_insert_delete after insert or delete on request_type_custom_field
  for each row execute function mark_tickets_of_form();
create trigger mark_tickets_of_form_update after update of private, custom_field_id on request_type_custom_field
  for each row when ((old.private, old.custom_field_id) is distinct from (new.private, new.custom_field_id))
  execute function mark_tickets_of_form();

create function mark_tickets_of_field() returns trigger language plpgsql set search_path from current as $$
begin
  insert into search_mark (workspace_id, ticket_id, message_id)
    select t.workspace_id, t.id, '' from ticket t
    where t.workspace_id = old.workspace_id and t.custom_fields <> '{}' and t.custom_fields ? old.key;
  return null;
end $$;
create trigger mark_tickets_of_field_delete after delete on custom_field
  for each row execute function mark_tickets_of_field();
create trigger mark_tickets_of_field_update after update of key, type on custom_field for each row
  when ((old.key, old.type) is distinct from (new.key, new.type)) execute function mark_tickets_of_field();

-- A document without words has to be indexed.
create function mark_document() returns trigger language plpgsql set search_path from current as $$
begin
  new.words := null;
  return new;
end $$;
create trigger mark_document before update of title, content on knowledge_base_document
  for each row when ((old.title, old.content) is distinct from (new.title, new.content)) execute function mark_document();

-- Tickets that need an embedding. A change while one is being computed raises the revision, and the row stays.
create table embedding_due (
  provider text not null,
  workspace_id text not null,
  ticket_id text not null,
  revision integer not null default 0,
  primary key (provider, workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index embedding_due_ticket on embedding_due (workspace_id, ticket_id);
-- The newest tickets of all workspaces get their vectors first.
create index embedding_due_newest on embedding_due (provider, ticket_id);

create table ticket_embedding (
  provider text not null,
  workspace_id text not null,
  ticket_id text not null,
  -- Of the model and the text: while it is the same, the provider is not called.
  content_hash bytea not null,
  -- One signed byte per dimension.
  vector bytea not null,
  stored_at timestamptz not null,
  primary key (provider, workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index ticket_embedding_stored on ticket_embedding (provider, workspace_id, stored_at);
create index ticket_embedding_ticket on ticket_embedding (workspace_id, ticket_id);

create function schedule_embedding(of_workspace text, of_ticket text) returns void
language sql set search_path from current as $$
  insert into embedding_due (provider, workspace_id, ticket_id)
    select provider, of_workspace, of_ticket from search_setting, unnest(providers) as provider order by provider
    on conflict (provider, workspace_id, ticket_id) do update set revision = embedding_due.revision + 1
$$;

-- Vectors are made of public texts; they follow soon after a write.
create function schedule_written_ticket() returns trigger language plpgsql set search_path from current as $$
begin
  perform schedule_embedding(new.workspace_id, new.id);
  return null;
end $$;
create trigger schedule_ticket_insert after insert on ticket for each row execute function schedule_written_ticket();
create trigger schedule_ticket_update after update of title, description on ticket for each row
  when ((old.title, old.description) is distinct from (new.title, new.description))
  execute function schedule_written_ticket();

create function schedule_written_message() returns trigger language plpgsql set search_path from current as $$
declare
  written ticket_message := case when tg_op = 'DELETE' then old else new end;
begin
  if not written.private then
    perform schedule_embedding(t.workspace_id, t.id) from ticket t
      where t.workspace_id = written.workspace_id and t.id = written.ticket_id;
  end if;
  return null;
end $$;
create trigger schedule_message_insert after insert or delete on ticket_message
  for each row execute function schedule_written_message();
create trigger schedule_message_update after update of content, private, deleted_at on ticket_message for each row
  when ((old.content, old.private, old.deleted_at) is distinct from (new.content, new.private, new.deleted_at))
  execute function schedule_written_message();
