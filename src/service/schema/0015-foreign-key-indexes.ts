import type { Migration } from '../../platform/database/migrate.ts';

/**
 * An index for each foreign key whose row can go: without one, every deletion of what it names reads the whole table.
 * People are never deleted, so the keys that name them need none.
 */
export const foreignKeyIndexes: Migration = {
  name: '0015-foreign-key-indexes',
  sql: `
create index agent_personality on agent (workspace_id, personality_id);
create index agent_chat_channel_channel on agent_chat_channel (workspace_id, chat_channel_id);
create index agent_knowledge_base_base on agent_knowledge_base (workspace_id, knowledge_base_id);
create index agent_queue_queue on agent_queue (workspace_id, queue_id);
create index agent_request_type_type on agent_request_type (workspace_id, request_type_id);
create index agent_workflow_workflow on agent_workflow (workspace_id, workflow_id);
create index chat_channel_app on chat_channel (workspace_id, chat_app_id);
create index chat_channel_queue on chat_channel (workspace_id, queue_id);
create index embedding_due_ticket on embedding_due (workspace_id, ticket_id);
create index queue_knowledge_base_base on queue_knowledge_base (workspace_id, knowledge_base_id);
create index queue_prefix_queue on queue_prefix (workspace_id, queue_id);
create index queue_request_type_type on queue_request_type (workspace_id, request_type_id);
create index request_type_queue on request_type (workspace_id, default_queue_id);
create index request_type_status on request_type (workspace_id, default_status_id);
create index request_type_custom_field_parent on request_type_custom_field (workspace_id, parent_id);
create index request_type_tag_tag on request_type_tag (workspace_id, tag_id);
create index status_by_group on status (workspace_id, status_group_id);
create index status_request_type_type on status_request_type (workspace_id, request_type_id);
create index ticket_embedding_ticket on ticket_embedding (workspace_id, ticket_id);
create index ticket_reference_ticket on ticket_reference (workspace_id, ticket_id);
create index workspace_personality on workspace (id, active_personality_id);
create index workspace_queue on workspace (id, default_queue_id);

-- Retention looks for every delivery that ended, however it did.
drop index delivery_delivered;
create index delivery_ended on delivery (updated_at) where state <> 'pending';
`,
};
