-- AI tools: what they may do, the replies that they draft, and what their writing calls did.

-- What AI tools may do through MCP: read, write, and send to requesters.
alter table workspace add column mcp_read boolean not null default false;
alter table workspace add column mcp_write boolean not null default false;
alter table workspace add column mcp_send boolean not null default false;

-- A reply that waits for somebody of the ticket's team to send it; the team sees it.
create table reply_draft (
  workspace_id text not null,
  id text not null,
  ticket_id text not null,
  -- Empty once it is sent: the words are the message's.
  content text not null,
  version integer not null,
  -- Who wrote this version.
  author_kind text not null check (author_kind in ('person', 'key', 'agent', 'system', 'workflow')),
  author_id text,
  -- The message that it was sent as.
  ticket_message_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, ticket_id) references ticket on delete cascade
);
create index reply_draft_ticket on reply_draft (workspace_id, ticket_id, created_at, id);
create index reply_draft_updated on reply_draft (updated_at);

-- What a writing call of a tool did, in its transaction: a repeated call finds it, and does nothing.
create table tool_call (
  workspace_id text not null,
  -- The person, API key or AI agent that called.
  caller text not null,
  idempotency_key text not null,
  -- Of the tool and its input: the same key for another call is a mistake.
  digest text not null,
  -- The tool's answer: ids and versions, no texts.
  answer json not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, caller, idempotency_key)
);
create index tool_call_created on tool_call (created_at);

-- That an AI agent used a tool on the ticket that it works on.
alter table ticket_activity drop constraint ticket_activity_kind_check;
alter table ticket_activity add constraint ticket_activity_kind_check
  check (kind in ('changed', 'merged', 'unmerged', 'linked', 'unlinked', 'opened', 'called'));
