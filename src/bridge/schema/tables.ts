import type { ColumnType, Generated } from 'kysely';

import type { LanesTables } from '../../platform/lanes/index.ts';

/** A `timestamptz(3)` column: read as a Date, written as a Date or an ISO 8601 string. */
type Time = ColumnType<Date, Date | string, Date | string>;
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A `json` column: written as text, read back as any JSON and parsed by zod where it is used. */
type Json = ColumnType<unknown, string, string>;
type NullableJson = ColumnType<unknown, string | null | undefined, string | null>;

export interface ConversationTable {
  id: string;
  team_id: string;
  channel_id: string;
  root_ts: string;
  direct: Generated<boolean>;
  ticket_id: string | null;
  description_ts: string | null;
  title: string | null;
  asked_user_id: string | null;
  applied_until: NullableTime;
  created_at: Time;
  described_by_edit: string | null;
  active_at: Generated<Date>;
  checked_at: NullableTime;
  root_gone: Generated<boolean>;
  moving: Generated<boolean>;
  room: Generated<boolean>;
  role: Generated<ConversationRole>;
  reopened: Generated<boolean>;
  party_user_id: string | null;
  status_wanted: string | null;
  status_shown: string | null;
  status_ts: string | null;
  told: NullableJson;
}

/** What a thread is to its ticket: see the migration 0010-cards. */
export type ConversationRole = 'request' | 'triage' | 'direct';

export interface FormerRootTable {
  team_id: string;
  channel_id: string;
  root_ts: string;
  conversation_id: string;
}

export interface InboxTable {
  id: string;
  source: 'chat' | 'service';
  event_key: string;
  kind: string;
  conversation_id: string | null;
  body: Json;
  received_at: Time;
  repeats: Generated<number>;
  outcome: string | null;
  done_at: NullableTime;
}

export interface MessageLinkTable {
  id: string;
  conversation_id: string;
  ticket_message_id: string;
  part: Generated<number>;
  team_id: string;
  channel_id: string;
  ts: string | null;
  origin: 'chat' | 'service';
  version: string;
  deleted: Generated<boolean>;
  digest: string | null;
}

export interface CardTable {
  conversation_id: string;
  channel_id: string;
  ts: string | null;
  shown: NullableTime;
  stale: Generated<boolean>;
  claimed_until: NullableTime;
}

export interface OutboxTable {
  id: string;
  conversation_id: string | null;
  team_id: string;
  channel_id: string;
  kind: string;
  body: Json;
  state: 'planned' | 'sending' | 'sent' | 'dropped' | 'parked';
  not_before: NullableTime;
  waits_for: string | null;
  sending_since: NullableTime;
  uncertain: Generated<number>;
  ts: string | null;
  error: string | null;
  planned_at: Time;
  sent_at: NullableTime;
  reported: Generated<boolean>;
}

export interface ReceiptTable {
  team_id: string;
  channel_id: string;
  ts: string;
  wanted: 'waiting' | 'failed' | null;
  shown: 'waiting' | 'failed' | null;
  told: Generated<boolean>;
}

export interface UploadTable {
  link_id: string;
  url: string;
  alt: string;
  file_id: string | null;
  asked_at: NullableTime;
  taken_at: NullableTime;
  tries: Generated<number>;
}

export interface ChatReactionTable {
  team_id: string;
  channel_id: string;
  ts: string;
  chat_user_id: string;
  name: string;
  event_ts: string;
  present: boolean;
  user_id: string | null;
  heard_at: Time;
}

export interface BotReactionTable {
  conversation_id: string;
  ticket_message_id: string;
  emoji: string;
  name: string;
  wanted: boolean;
  shown: Generated<boolean>;
  refused: Generated<boolean>;
}

export interface ToldNoteTable {
  conversation_id: string;
  chat_user_id: string;
}

export interface PersonTable {
  team_id: string;
  chat_user_id: string;
  user_id: string | null;
  name: string;
  is_bot: boolean;
  is_guest: boolean;
  time_zone: string | null;
  read_at: Time;
  image: string | null;
  is_deleted: Generated<boolean>;
  linked_by: 'self' | 'admin' | null;
  digest: string | null;
}

export interface LinkCodeTable {
  team_id: string;
  chat_user_id: string;
  code_hash: string;
  created_at: Time;
  expires_at: Time;
  message_id: string | null;
}

export interface ActTable {
  ticket_id: string;
  field: string;
  value: string;
  in_chat: boolean;
  user_id: string | null;
  at: Time;
}

export interface HeardTicketTable {
  ticket_id: string;
  seen: Json;
  messages_until: NullableTime;
  looked_at: Time;
}

export interface AskTable {
  kind: 'approval' | 'survey';
  ticket_id: string;
  user_id: string;
  team_id: string;
  channel_id: string;
  ts: string | null;
  shown: string | null;
  asked_at: Time;
  score: number | null;
  feedback: string | null;
  answered_at: NullableTime;
}

export interface NoticePreferenceTable {
  team_id: string;
  chat_user_id: string;
  level: 'all' | 'mine' | 'none';
}

export interface HomeTable {
  team_id: string;
  chat_user_id: string;
  part: string;
  page: number;
  notice: string | null;
  tickets: string[] | null;
  digest: string | null;
  opened_at: Time;
}

export interface FormDraftTable {
  id: string;
  team_id: string;
  chat_user_id: string;
  place: string;
  context: Json;
  filled: Json;
  typed_at: Generated<string>;
  sent_view: string | null;
  kept_told: Generated<boolean>;
  updated_at: Time;
}

export interface ObservedChannelTable {
  team_id: string;
  channel_id: string;
  queue_id: string;
  workspace_id: string;
  asked_by: string;
  since: Time;
}

export interface ObservedTicketTable {
  team_id: string;
  channel_id: string;
  ts: string;
  title: string;
  way: string;
  chat_user_id: string;
  seen_at: Time;
}

export interface BridgeTables extends LanesTables {
  act: ActTable;
  heard_ticket: HeardTicketTable;
  heard_message: { ticket_message_id: string; heard_at: Time };
  notice_preference: NoticePreferenceTable;
  ask: AskTable;
  reminder: { ticket_id: string; kind: string; at: Date; told_at: NullableTime };
  conversation: ConversationTable;
  former_root: FormerRootTable;
  inbox: InboxTable;
  message_link: MessageLinkTable;
  card: CardTable;
  outbox: OutboxTable;
  receipt: ReceiptTable;
  upload: UploadTable;
  chat_reaction: ChatReactionTable;
  bot_reaction: BotReactionTable;
  told_note: ToldNoteTable;
  pace: { key: string; next_at: Time };
  person: PersonTable;
  link_code: LinkCodeTable;
  form_draft: FormDraftTable;
  home: HomeTable;
  observed_channel: ObservedChannelTable;
  observed_ticket: ObservedTicketTable;
  setting: { key: string; value: Json };
  cursor: { key: string; position: Time };
}
