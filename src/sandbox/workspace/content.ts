/** A Block Kit block or element as Slack's JSON has it; `blocks/check.ts` says what is allowed inside. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;
export type Block = JsonObject & { type: string };

/**
 * A file as messages carry it (docs.slack.dev/reference/objects/file-object); a deleted one has its id and mode alone.
 */
export type MessageFile = JsonObject & { id: string; name?: string; url_private?: string };

export interface Metadata {
  event_type: string;
  event_payload: JsonObject;
}

export interface Reaction {
  name: string;
  users: string[];
}

/**
 * What a message says, in the words of Slack's API (docs.slack.dev/reference/events/message). What the workspace
 * knows about its place (channel, ts, thread) and about others' acts on it (reactions, replies) is kept beside it.
 */
export interface MessageContent {
  type: 'message';
  subtype?: string;
  user?: string;
  text: string;
  team?: string;
  blocks?: Block[];
  attachments?: JsonObject[];
  metadata?: Metadata;
  client_msg_id?: string;
  bot_id?: string;
  app_id?: string;
  bot_profile?: JsonObject;
  username?: string;
  icons?: JsonObject;
  edited?: { user: string; ts: string };
  parent_user_id?: string;
  /** On the placeholder of a deleted root only. */
  hidden?: boolean;
  /** `channel_join` by invitation. */
  inviter?: string;
  /** What a `channel_topic`, `channel_purpose` or `channel_name` says. */
  topic?: string;
  purpose?: string;
  name?: string;
  old_name?: string;
  /** Of a `pinned_item`. */
  item_type?: string;
  item?: JsonObject;
  /** Of a `huddle_thread`. */
  room?: JsonObject;
  /** File objects of a `file_share` (docs.slack.dev/reference/objects/file-object). */
  files?: MessageFile[];
  upload?: boolean;
  display_as_bot?: boolean;
  /** The channel it is pinned to. */
  pinned_to?: string[];
}

/** A message that waits for its time. */
export interface ScheduledPost {
  content: MessageContent;
  autoBlocks: boolean;
  author: string;
  threadTs?: string | undefined;
  broadcast?: boolean;
}

/** A message row. */
export interface StoredMessage {
  channel_id: string;
  ts: string;
  /** The root's ts; null on a root and on a message outside threads. */
  thread_ts: string | null;
  broadcast: boolean;
  /** The only person who sees it; null for everyone. */
  ephemeral_for: string | null;
  /** User id of who wrote it (the bot user for the app's posts). */
  author: string;
  content: MessageContent;
  /** The blocks were made from the text, not given. */
  auto_blocks: boolean;
  reply_count: number;
  reply_users: string[];
  latest_reply: string | null;
  reactions: Reaction[];
}

/** A place where a file is shown. */
export interface FileShare {
  channel: string;
  ts: string;
  threadTs?: string;
}

/** What files.completeUploadExternal asked for; the message comes later. */
export interface SharePlan {
  /** The files of one message, this one among them, in their order. */
  files: string[];
  channels: string[];
  threadTs?: string;
  content: MessageContent;
  autoBlocks: boolean;
  author: string;
}
