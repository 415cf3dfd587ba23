import type { Generated } from 'kysely';

import type { Delivery, Priority, QueueSettings, Role, Source, TicketDetail } from '../../contract/index.ts';
import type { LanesTables } from '../../platform/lanes/index.ts';
import type { AnswerTables } from './answer-tables.ts';
import type { Json, NullableJson, Times } from './columns.ts';
import type { ConfigurationTables } from './configuration-tables.ts';
import type { SearchTables } from './search-tables.ts';
import type { UpkeepTables } from './upkeep-tables.ts';

interface WorkspaceTable extends Times {
  id: string;
  name: string;
  slug: string;
  organization_id: string | null;
  creator_id: string | null;
  private: Generated<boolean>;
  chat_bot_icon_url: string | null;
  chat_bot_username: string | null;
  chat_emoji_actions: NullableJson<unknown>;
  brand_icon: string | null;
  brand_color: string | null;
  default_queue_id: string | null;
  settings_id: string;
  ticket_assignee_scope: string | null;
  disable_chat_user_sync: Generated<boolean>;
  visible_in_chat: Generated<boolean>;
  show_in_chat_assistant: Generated<boolean>;
  active_personality_id: string | null;
  deleted_at: Date | null;
}

interface PersonTable extends Times {
  workspace_id: string;
  id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  image: string | null;
  email_verified: string | null;
  is_guest_created: Generated<boolean>;
  is_bot: Generated<boolean>;
  idp_id: string | null;
}

interface ChatUserTable extends Times {
  workspace_id: string;
  id: string;
  person_id: string;
  chat_user_id: string;
  chat_team_id: string | null;
  chat_app_id: string | null;
  chat_image_url: string | null;
  chat_real_name: string | null;
  chat_display_name: string | null;
  is_bot: Generated<boolean>;
}

interface ApiKeyTable {
  workspace_id: string;
  id: string;
  prefix: string;
  name: string;
  role: Role;
  source: Generated<Source>;
  hash: Buffer;
  further_workspace_ids: Generated<string[]>;
  person_id: string | null;
  /** Requests a minute; null: the service's default; 0: no limit. */
  rate_limit: number | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  /** The data directory whose own key it is (`secrets.json`). */
  data_directory: string | null;
}

/** What a status group means, whatever it is called; the words of `legacyStatus`. */
export type StatusKind = 'OPEN' | 'IN_PROGRESS' | 'PENDING' | 'RESOLVED' | 'CLOSED';

interface StatusGroupTable {
  workspace_id: string;
  id: string;
  label: string;
  kind: StatusKind;
}

interface StatusTable extends Times {
  workspace_id: string;
  id: string;
  label: string;
  position: number;
  system: Generated<boolean>;
  status_group_id: string;
}

interface StatusRequestTypeTable {
  workspace_id: string;
  id: string;
  status_id: string;
  request_type_id: string;
}

interface QueueTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  prefix: string;
  emoji: string | null;
  system: Generated<boolean>;
  settings_id: string;
  settings: Json<Partial<Omit<QueueSettings, 'id'>>>;
  auto_assignees: Generated<string[]>;
  next_assignee: Generated<number>;
  last_number: Generated<number>;
  deleted_at: Date | null;
}

interface QueuePrefixTable {
  workspace_id: string;
  prefix: string;
  queue_id: string;
}

interface QueueRequestTypeTable {
  workspace_id: string;
  queue_id: string;
  request_type_id: string;
}

interface ChatChannelTable extends Times {
  workspace_id: string;
  id: string;
  channel_id: string;
  channel_name: string | null;
  type: string;
  private: Generated<boolean>;
  queue_id: string | null;
  context_team_id: string | null;
  chat_app_id: string | null;
  deleted_at: Date | null;
}

interface TagTable extends Times {
  workspace_id: string;
  id: string;
  name: string;
  color: string | null;
}

type Approval = NonNullable<TicketDetail['metadata']['approval']>;

interface TicketTable extends Times {
  workspace_id: string;
  id: string;
  queue_id: string;
  number: number;
  short_id: string;
  title: string | null;
  description: string | null;
  priority: Priority;
  published: boolean;
  private: boolean;
  source: Source;
  requester_id: string | null;
  author_id: string | null;
  assignee_id: string | null;
  status_id: string;
  request_type_id: string | null;
  parent_id: string | null;
  disable_ai_response: boolean;
  assigned_ai_agent: string | null;
  chat_channel_id: string | null;
  custom_fields: Json<Record<string, unknown>>;
  approval: NullableJson<Approval>;
  claim_person_id: string | null;
  claim_until: Date | null;
  published_at: Date | null;
  assigned_at: Date | null;
  due_at: Date | null;
  snooze_until: Date | null;
  approved_at: Date | null;
  declined_at: Date | null;
  start_at: Date | null;
  responded_at: Date | null;
  resolved_at: Date | null;
  closed_at: Date | null;
  archived_at: Date | null;
  stamped_at: Date;
}

interface TicketReferenceTable {
  workspace_id: string;
  queue_id: string;
  number: number;
  ticket_id: string;
}

interface TicketPersonTable {
  workspace_id: string;
  ticket_id: string;
  person_id: string;
  position: number;
}

interface TicketTagTable {
  workspace_id: string;
  ticket_id: string;
  tag_id: string;
}

interface CsatTable extends Times {
  workspace_id: string;
  id: string;
  ticket_id: string;
  person_id: string;
  score: number;
  feedback: string | null;
}

interface ChatThreadTable extends Times {
  workspace_id: string;
  id: string;
  ticket_id: string;
  type: string | null;
  user_id: string | null;
  app_id: string | null;
  channel_id: string;
  message_ts: string;
  mirror_ts: string | null;
  replaced_at: Date | null;
}

interface TicketMessageTable extends Times {
  workspace_id: string;
  id: string;
  ticket_id: string;
  content: string;
  author_id: string | null;
  source: Source;
  status: 'CREATED' | 'EDITED' | 'DELETED';
  chat_channel_id: string | null;
  private: boolean;
  email_message_id: string | null;
  email_in_reply_to: string | null;
  deleted_at: Date | null;
}

interface ChatMessageTable extends Times {
  workspace_id: string;
  id: string;
  ticket_message_id: string;
  channel_id: string;
  ts: string;
  team_id: string | null;
  thread_id: string | null;
}

interface ReactionTable {
  workspace_id: string;
  id: string;
  ticket_message_id: string;
  emoji: string;
  author_id: string;
}

export type WebhookDeactivation = 'key-revoked' | 'gone' | 'failing';

interface WebhookTable extends Times {
  workspace_id: string;
  id: string;
  name: string | null;
  url: string;
  /** Sealed, as the previous one (`webhooks/secrets.ts`). */
  secret: string | null;
  /** Still signed with, beside `secret`, until the instant that follows. */
  previous_secret: string | null;
  previous_secret_until: Date | null;
  active: boolean;
  /** Why it is not active; null while it is, and where somebody switched it off. */
  deactivated_reason: WebhookDeactivation | null;
  event_types: string[];
  /** The key that made it. */
  key_id: string | null;
  /** First failure since the last success, and how many events failed since. */
  failing_since: Date | null;
  failed_events: Generated<number>;
}

interface EventTable {
  workspace_id: string;
  id: string;
  type: string;
  action: string;
  body: string;
  created_at: Date;
}

interface DeliveryTable extends Times {
  workspace_id: string;
  id: string;
  webhook_id: string;
  event_id: string;
  state: Delivery['state'];
  step: Generated<number>;
  round: Generated<number>;
  attempts: Json<Delivery['attempts']>;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
}

export interface Tables extends LanesTables, ConfigurationTables, SearchTables, UpkeepTables, AnswerTables {
  workspace: WorkspaceTable;
  person: PersonTable;
  chat_user: ChatUserTable;
  api_key: ApiKeyTable;
  status_group: StatusGroupTable;
  status: StatusTable;
  status_request_type: StatusRequestTypeTable;
  queue: QueueTable;
  queue_prefix: QueuePrefixTable;
  queue_request_type: QueueRequestTypeTable;
  chat_channel: ChatChannelTable;
  tag: TagTable;
  ticket: TicketTable;
  ticket_reference: TicketReferenceTable;
  ticket_approver: TicketPersonTable;
  ticket_follower: TicketPersonTable;
  ticket_tag: TicketTagTable;
  csat: CsatTable;
  chat_thread: ChatThreadTable;
  ticket_message: TicketMessageTable;
  chat_message: ChatMessageTable;
  reaction: ReactionTable;
  webhook: WebhookTable;
  event: EventTable;
  delivery: DeliveryTable;
}
