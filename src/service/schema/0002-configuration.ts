import type { Migration } from '../../platform/database/migrate.ts';

/** One table that ties agents to records of another kind. */
const agentLink = (table: string, column: string, target: string) => `
create table ${table} (
  workspace_id text not null,
  agent_id text not null,
  ${column} text not null,
  primary key (workspace_id, agent_id, ${column}),
  foreign key (workspace_id, agent_id) references agent on delete cascade,
  foreign key (workspace_id, ${column}) references ${target} on delete cascade
);`;

// What a workspace is set up with beside its queues and statuses, and the note of who is answering a ticket.
export const configuration: Migration = {
  name: '0002-configuration',
  sql: `
alter table ticket
  add column claim_person_id text,
  add column claim_until timestamptz(3),
  add foreign key (workspace_id, claim_person_id) references person,
  add check ((claim_person_id is null) = (claim_until is null));
create index ticket_request_type on ticket (workspace_id, request_type_id) where request_type_id is not null;

alter table csat add check (score between 1 and 5);

alter table request_type
  add column emoji text,
  add column icon text,
  add column color text,
  add column description text,
  add column is_default boolean not null default false,
  add column published boolean not null default true,
  add column job_id text,
  add column ai_examples text,
  add column ai_response text,
  add column title_template text,
  add column default_task_template_id text,
  add column type text not null default 'request-type' check (type in ('request-type', 'collection')),
  add column parent_id text,
  add column form_enabled boolean not null default false,
  add foreign key (workspace_id, parent_id) references request_type,
  add foreign key (workspace_id, default_queue_id) references queue,
  add foreign key (workspace_id, default_status_id) references status,
  add check (parent_id <> id);
create index request_type_parent on request_type (workspace_id, parent_id) where parent_id is not null;
create unique index request_type_default on request_type (workspace_id) where is_default;

create table request_type_tag (
  workspace_id text not null,
  request_type_id text not null,
  tag_id text not null,
  primary key (workspace_id, request_type_id, tag_id),
  foreign key (workspace_id, request_type_id) references request_type on delete cascade,
  foreign key (workspace_id, tag_id) references tag on delete cascade
);

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

alter table workspace
  add column active_personality_id text,
  add foreign key (id, active_personality_id) references personality,
  add foreign key (id, default_queue_id) references queue;

create table workspace_icon (
  workspace_id text primary key references workspace,
  -- Part of its address, so that a new picture has a new one.
  hash text not null,
  media_type text not null,
  file_name text not null,
  content bytea not null,
  updated_at timestamptz(3) not null
);

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
create unique index knowledge_base_name on knowledge_base (workspace_id, lower(name));

create table knowledge_base_document (
  workspace_id text not null,
  id text not null,
  knowledge_base_id text not null,
  title text not null,
  content text not null,
  url text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, knowledge_base_id) references knowledge_base on delete cascade
);
create index knowledge_base_document_base on knowledge_base_document (workspace_id, knowledge_base_id);

create table queue_knowledge_base (
  workspace_id text not null,
  queue_id text not null,
  knowledge_base_id text not null,
  primary key (workspace_id, queue_id, knowledge_base_id),
  foreign key (workspace_id, queue_id) references queue on delete cascade,
  foreign key (workspace_id, knowledge_base_id) references knowledge_base on delete cascade
);

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

create table agent (
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
${agentLink('agent_chat_channel', 'chat_channel_id', 'chat_channel')}
${agentLink('agent_queue', 'queue_id', 'queue')}
${agentLink('agent_knowledge_base', 'knowledge_base_id', 'knowledge_base')}
${agentLink('agent_request_type', 'request_type_id', 'request_type')}
${agentLink('agent_workflow', 'workflow_id', 'workflow')}

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
`,
};
