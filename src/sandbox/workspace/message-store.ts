import type { Database } from '../store/database.ts';
import type { JsonObject, MessageContent, StoredMessage } from './content.ts';
import { type App, type Channel, fullName, type Person } from './directory.ts';
import type { Change, EventBody, Workspace } from './workspace.ts';
import { pushedContent } from './files.ts';
import { avatarHash } from './people.ts';

/** The fields of a new row that come from its post. */
export interface NewRow {
  author: string;
  autoBlocks: boolean;
}

/** A message as the change that makes it will store it. */
export function newRow(
  { channel, ts }: Pick<Change, 'channel' | 'ts'>,
  post: NewRow,
  content: MessageContent,
  threadTs: string | null,
  broadcast: boolean,
): StoredMessage {
  return {
    channel_id: channel.id,
    ts,
    thread_ts: threadTs,
    broadcast,
    ephemeral_for: null,
    author: post.author,
    content,
    auto_blocks: post.autoBlocks,
    reply_count: 0,
    reply_users: [],
    latest_reply: null,
    reactions: [],
  };
}

/** Reads a message of the channel. */
export function readMessage({ db, channel }: Change, ts: string): StoredMessage | undefined {
  return messageRow(db, channel.id, ts);
}

/** A message, including ephemeral ones. */
export function messageRow(db: Database, channelId: string, ts: string): StoredMessage | undefined {
  return db.query<StoredMessage>('select * from message where channel_id = ? and ts = ?').get(channelId, ts);
}

/** Stores a new message. */
export function insertMessage({ db }: Pick<Change, 'db'>, message: StoredMessage): void {
  const {
    reply_count: _count,
    reply_users: _users,
    latest_reply: _latest,
    reactions: _reactions,
    ...row
  } = message;
  db.insert('message', row);
}

/** Stores an edit. */
export function updateMessage({ db }: Change, message: StoredMessage): void {
  const { channel_id, ts, content, author, auto_blocks, reactions } = message;
  db.update('message', { channel_id, ts }, { content, author, auto_blocks, reactions });
}

export interface Window {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive: boolean;
}

export interface Page {
  messages: StoredMessage[];
  hasMore: boolean;
}

/** Later than every ts. */
const END = '9999999999.999999';
const VISIBLE = 'select * from message where channel_id = ? and ephemeral_for is null';

/**
 * One page of a channel's own messages (no replies but broadcast ones), newest first. With `oldest` alone the page
 * is the one next to `oldest`, otherwise the one next to `latest` (docs.slack.dev, conversations.history). `after`
 * is the ts where the page before ended.
 */
export function historyPage(
  db: Database,
  channelId: string,
  window: Window,
  limit: number,
  after: string | undefined,
): Page {
  const forward = window.oldest !== undefined && window.latest === undefined;
  const rows = db
    .query<StoredMessage>(
      `${VISIBLE} and (thread_ts is null or broadcast) ${withinWindow(window)} and ts ${forward ? '>' : '<'} ?
     order by ts ${forward ? 'asc' : 'desc'} limit ?`,
    )
    .all(channelId, ...bounds(window), after ?? (forward ? '' : END), limit + 1);
  const page = rows.slice(0, limit);
  return { messages: forward ? page.reverse() : page, hasMore: rows.length > limit };
}

/** One page of a thread's replies, oldest first. */
export function repliesPage(
  db: Database,
  channelId: string,
  rootTs: string,
  window: Window,
  limit: number,
  after: string | undefined,
): Page {
  const rows = db
    .query<StoredMessage>(
      `${VISIBLE} and thread_ts = ? ${withinWindow(window)} and ts > ? order by ts limit ?`,
    )
    .all(channelId, rootTs, ...bounds(window), after ?? '', limit + 1);
  return { messages: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** A message that is not ephemeral. */
export function findMessage(db: Database, channelId: string, ts: string): StoredMessage | undefined {
  return db.query<StoredMessage>(`${VISIBLE} and ts = ?`).get(channelId, ts);
}

/**
 * Everything in a channel, or in one of its threads, in ts order, replies included; ephemeral ones of `person` among
 * them.
 */
export function everything(
  db: Database,
  channelId: string,
  { person = '', thread }: { person?: string | undefined; thread?: string | undefined } = {},
): StoredMessage[] {
  const sql = 'select * from message where channel_id = ? and (ephemeral_for is null or ephemeral_for = ?)';
  return thread === undefined
    ? db.query<StoredMessage>(`${sql} order by ts`).all(channelId, person)
    : db.query<StoredMessage>(`${sql} and ? in (ts, thread_ts) order by ts`).all(channelId, person, thread);
}

function withinWindow({ inclusive }: Window): string {
  return inclusive ? 'and ts >= ? and ts <= ?' : 'and ts > ? and ts < ?';
}

function bounds({ oldest = '', latest = END }: Window): string[] {
  return [oldest, latest];
}

export type ApiMessage = Record<string, unknown> & { ts: string };

/** How replies show on a root; absent where there are none (conversations.history, conversations.replies). */
export function threadFields(message: StoredMessage): JsonObject {
  if (message.reply_count === 0) return {};
  return {
    thread_ts: message.ts,
    reply_count: message.reply_count,
    reply_users_count: message.reply_users.length,
    latest_reply: message.latest_reply,
    reply_users: message.reply_users,
    is_locked: false,
    subscribed: false,
  };
}

function reactionFields(message: StoredMessage): JsonObject {
  if (message.reactions.length === 0) return {};
  return { reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })) };
}

/** Metadata is left out unless asked for (`include_all_metadata`, docs.slack.dev/messaging/message-metadata). */
export function apiMessage(message: StoredMessage, options: { metadata: boolean }): ApiMessage {
  const { metadata, ...content } = message.content;
  return {
    ...content,
    ts: message.ts,
    ...(message.thread_ts === null ? threadFields(message) : { thread_ts: message.thread_ts }),
    ...reactionFields(message),
    ...(options.metadata && metadata ? { metadata } : {}),
  };
}

/** A message with all its fields; inside an event, as events of that channel have it. */
export function eventMessage(message: StoredMessage, channel?: Channel): ApiMessage {
  const pushed = channel ? { ...message, content: pushedContent(message.content, channel) } : message;
  return apiMessage(pushed, { metadata: true });
}

/** The `message` event of a new message (docs.slack.dev/reference/events/message). */
export function newMessageEvent(
  message: StoredMessage,
  channel: Channel,
): { type: string } & Record<string, unknown> {
  return {
    ...pushedContent(message.content, channel),
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    channel: channel.id,
    event_ts: message.ts,
    channel_type: channel.kind,
  };
}

/**
 * The path of Slack's permalinks, `/archives/C1/p1700000000000100`, with the thread for a reply (chat.getPermalink).
 * They are below the sandbox itself, which opens the message in its page (page.ts): nothing here leads to slack.com.
 */
export function permalinkOf(baseUrl: string, message: StoredMessage): string {
  const address = `${baseUrl}/archives/${message.channel_id}/p${message.ts.replace('.', '')}`;
  return message.thread_ts === null
    ? address
    : `${address}?thread_ts=${message.thread_ts}&cid=${message.channel_id}`;
}

/** `message_changed`, with what the message was before. */
export function emitChanged(change: Change, before: StoredMessage, after: StoredMessage): void {
  if (after.ephemeral_for !== null) return;
  const team = after.content.team;
  change.emit({
    type: 'message',
    subtype: 'message_changed',
    message: {
      ...eventMessage(after, change.channel),
      ...(team === undefined ? {} : { source_team: team, user_team: team }),
    },
    previous_message: eventMessage(before, change.channel),
    channel: change.channel.id,
    hidden: true,
    ts: change.ts,
    event_ts: change.ts,
    channel_type: change.channel.kind,
  });
}

/**
 * `app_mention` beside `message`, with an event id of its own: for each app mentioned in a channel, not in direct
 * messages (docs.slack.dev/reference/events/app_mention), not for what the app itself says.
 */
export function emitMention(workspace: Workspace, change: Change, message: StoredMessage): void {
  const { channel } = change;
  if (channel.kind === 'im' || message.ephemeral_for !== null) return;
  for (const app of workspace.directory.appsIn(channel)) {
    if (!mentions(message, app) || message.author === app.botUserId) continue;
    change.emit(mentionEvent(workspace, message, channel, message.content.edited ? change.ts : message.ts));
  }
}

/**
 * `app_mention` of a message (docs.slack.dev/reference/events/app_mention). One by a person of another organisation is
 * of the app's workspace, and says beside that whose they are.
 */
export function mentionEvent(
  { directory }: Workspace,
  message: StoredMessage,
  channel: Channel,
  eventTs: string,
): EventBody {
  const { subtype: _subtype, ...content } = pushedContent(message.content, channel);
  const author = directory.people.get(message.author);
  return {
    ...content,
    ...(author?.teamId === undefined ? {} : foreignAuthor(directory.team.id, author.teamId, author)),
    type: 'app_mention',
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    channel: channel.id,
    event_ts: eventTs,
  };
}

function foreignAuthor(ownTeam: string, team: string, author: Person) {
  const real_name = fullName(author);
  return {
    team: ownTeam,
    user_team: team,
    source_team: team,
    user_profile: {
      name: author.name,
      first_name: author.firstName,
      real_name,
      display_name: author.displayName ?? author.name,
      team,
      is_restricted: false,
      is_ultra_restricted: false,
      avatar_hash: avatarHash(author),
    },
  };
}

function mentions(message: StoredMessage, app: App): boolean {
  return new RegExp(`<@${app.botUserId}(\\|[^<>]*)?>`).test(message.content.text);
}

/** Adds a journal entry after the commit, for the page and waiting tests. */
export function noteOnceDone(
  workspace: Workspace,
  change: Change,
  message: StoredMessage,
  what: 'posted' | 'changed' | 'deleted',
): void {
  change.afterwards(() =>
    workspace.journal.record('message', {
      channel: message.channel_id,
      ts: message.ts,
      change: what,
      ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
      ...(message.ephemeral_for === null ? {} : { ephemeral_for: message.ephemeral_for }),
    }),
  );
}
