import type { Generated } from 'kysely';

import type {
  Agent,
  Application,
  CustomFieldType,
  Priority,
  RequestType,
  TicketField,
  Workflow,
} from '../../contract/index.ts';
import type { Json, NullableJson, Times } from './columns.ts';

interface RequestTypeTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  is_private: Generated<boolean>;
  default_priority: Priority | null;
  default_queue_id: string | null;
  default_status_id: string | null;
  emoji: string | null;
  icon: string | null;
  color: string | null;
  description: string | null;
  is_default: Generated<boolean>;
  published: Generated<boolean>;
  job_id: string | null;
  ai_examples: string | null;
  ai_response: string | null;
  title_template: string | null;
  default_task_template_id: string | null;
  type: Generated<RequestType['type']>;
  parent_id: string | null;
  form_enabled: Generated<boolean>;
}

interface RequestTypeTagTable {
  workspace_id: string;
  request_type_id: string;
  tag_id: string;
}

interface CustomFieldTable extends Times {
  workspace_id: string;
  id: string;
  key: string;
  label: string;
  description: string | null;
  required: Generated<boolean>;
  system: Generated<boolean>;
  type: CustomFieldType;
  config: NullableJson<unknown>;
}

interface CustomFieldOptionTable extends Times {
  workspace_id: string;
  id: string;
  custom_field_id: string;
  value: string;
  position: number;
  description: string | null;
  color: string | null;
  icon: string | null;
}

interface RequestTypeCustomFieldTable extends Times {
  workspace_id: string;
  id: string;
  request_type_id: string;
  custom_field_id: string;
  position: number;
  private: Generated<boolean>;
  required: Generated<boolean>;
  ticket_field: TicketField | null;
  parent_id: string | null;
  depends_on_value: string | null;
}

interface PersonalityTable extends Times {
  workspace_id: string;
  id: string;
  persona: string | null;
  tone: string | null;
  emoji: string | null;
  length: string | null;
  greeting: string | null;
  branding: string | null;
}

interface WorkspaceIconTable {
  workspace_id: string;
  hash: string;
  media_type: string;
  file_name: string;
  content: Buffer;
  updated_at: Date;
}

interface KnowledgeBaseTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  system: Generated<boolean>;
  global: Generated<boolean>;
  last_sync_at: Date | null;
}

interface KnowledgeBaseDocumentTable extends Times {
  workspace_id: string;
  id: string;
  knowledge_base_id: string;
  title: string;
  content: string;
  url: string | null;
  words: Generated<string>;
}

interface QueueKnowledgeBaseTable {
  workspace_id: string;
  queue_id: string;
  knowledge_base_id: string;
}

interface WorkflowTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  description: string | null;
  is_template: Generated<boolean>;
  collection_id: string | null;
  connections: Json<Workflow['connections']>;
  steps: Json<Workflow['steps']>;
  author_id: string | null;
  state: Workflow['state'];
  reference: string | null;
}

interface AgentTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  description: string | null;
  image_url: string | null;
  personality_id: string | null;
  enabled: Generated<boolean>;
  respond_on_message: Generated<Agent['respondOnMessage']>;
  respond_on_mention: Generated<boolean>;
  auto_classify: Generated<boolean>;
  auto_tag: Generated<boolean>;
  only_respond_to_requests: Generated<boolean>;
  negative_feedback_auto_create: Generated<boolean>;
  auto_escalate: Generated<boolean>;
  available_in_dm: Generated<boolean>;
  tools: Generated<string[]>;
  deleted_at: Date | null;
}

/** A tie of an agent to a record of another kind. */
type AgentLink<Column extends string> = { [K in 'workspace_id' | 'agent_id' | Column]: string };

interface ApplicationTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  domain: string | null;
  image_url: string | null;
  owner_id: string | null;
  integration_application_id: string | null;
  price: number | null;
  status: Generated<Application['status']>;
  approval_strategy: Application['approvalStrategy'];
  access_levels: Json<Application['accessLevels']>;
  approver_ids: Generated<string[]>;
  approver_group_ids: Generated<string[]>;
  integration: NullableJson<NonNullable<Application['integration']>>;
}

/** The tables that a workspace is set up with, beside its queues and statuses. */
export interface ConfigurationTables {
  request_type: RequestTypeTable;
  request_type_tag: RequestTypeTagTable;
  custom_field: CustomFieldTable;
  custom_field_option: CustomFieldOptionTable;
  request_type_custom_field: RequestTypeCustomFieldTable;
  personality: PersonalityTable;
  workspace_icon: WorkspaceIconTable;
  knowledge_base: KnowledgeBaseTable;
  knowledge_base_document: KnowledgeBaseDocumentTable;
  queue_knowledge_base: QueueKnowledgeBaseTable;
  workflow: WorkflowTable;
  agent: AgentTable;
  agent_chat_channel: AgentLink<'chat_channel_id'>;
  agent_queue: AgentLink<'queue_id'>;
  agent_knowledge_base: AgentLink<'knowledge_base_id'>;
  agent_request_type: AgentLink<'request_type_id'>;
  agent_workflow: AgentLink<'workflow_id'>;
  application: ApplicationTable;
}
