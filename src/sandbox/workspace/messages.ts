import type { Database } from '../store/database.ts';
import type { Block, JsonObject, MessageContent, Metadata, StoredMessage } from './content.ts';
import { type Channel, SLACKBOT } from './directory.ts';
import { detectLanguage, emitLinkShared, unfurlLinks } from './links.ts';
import {
  emitChanged,
  emitMention,
  eventMessage,
  messageRow,
  newMessageEvent,
  newRow,
  noteOnceDone,
  readMessage,
  updateMessage,
  insertMessage,
} from './message-store.ts';
import { editTs } from './timestamps.ts';
import type { Change, Workspace } from './workspace.ts';
import { type Written, writtenByApp, writtenByPerson } from './write.ts';

export interface Post extends Written {
  author: string;
  threadTs?: string | undefined;
  /** A reply that is shown in the channel too. */
  broadcast?: boolean;
  ephemeralFor?: string;
  /** false: Slack previews no links in it (`unfurl_links` and `unfurl_media` of a post). */
  unfurl?: boolean;
  /** More to do in the same transaction, before the apps are notified of the message. */
  also?: (change: Change, message: StoredMessage) => void;
}

/**
 * Posts a message and tells the apps: `message`, `app_mention` besides where the bot is mentioned, `link_shared` where
 * it links to a domain of the app's. What Slack changes in a message by itself follows, where that is switched on.
 */
export function postMessage(workspace: Workspace, channel: Channel, post: Post): StoredMessage {
  const { ephemeralFor } = post;
  if (ephemeralFor !== undefined)
    return workspace.change(channel, (change) => postForOne(workspace, change, post, ephemeralFor));
  const message = workspace.change(channel, (change) => postForAll(workspace, change, post));
  if (workspace.noise.languageDetection) detectLanguage(workspace, channel, message.ts);
  if (workspace.noise.unfurls && post.unfurl !== false) unfurlLinks(workspace, channel, message);
  return message;
}

function postForAll(workspace: Workspace, change: Change, post: Post): StoredMessage {
  const { db, channel, ts } = change;
  const root =
    post.threadTs === undefined
      ? undefined
      : joinThread(db, channel.id, post.threadTs, { ts, author: post.author });
  const content: MessageContent = { ...post.content };
  if (root) content.parent_user_id = root.author;
  const broadcast = root !== undefined && post.broadcast === true;
  if (broadcast && content.subtype === undefined) content.subtype = 'thread_broadcast';
  const message = newRow(change, post, content, root?.ts ?? null, broadcast);
  insertMessage(change, message);
  post.also?.(change, message);
  if (channel.kind === 'im' || channel.kind === 'mpim')
    db.run('update member set is_open = 1 where channel_id = ? and not is_open', channel.id);
  const event = newMessageEvent(message, channel);
  if (broadcast) event['root'] = eventMessage(root, channel);
  change.emit(event);
  emitMention(workspace, change, message);
  emitLinkShared(workspace, change, message);
  noteOnceDone(workspace, change, message, 'posted');
  return message;
}

/** Seen by one person, sent to no app, in no history (docs.slack.dev/reference/methods/chat.postEphemeral). */
function postForOne(workspace: Workspace, change: Change, post: Post, person: string): StoredMessage {
  const message = newRow(change, post, post.content, post.threadTs ?? null, false);
  message.ephemeral_for = person;
  insertMessage(change, message);
  noteOnceDone(workspace, change, message, 'posted');
  return message;
}

/** The fields of an edit; an absent field stays. `edited: false` leaves no mark (an app's update by blocks). */
export interface Edit {
  text: string;
  blocks?: Block[] | undefined;
  attachments?: JsonObject[] | undefined;
  metadata?: MessageContent['metadata'] | undefined;
  autoBlocks: boolean;
  /** The editor; absent if the edit sets no `edited`. */
  editor?: string | undefined;
}

/** Changes a message and tells the apps: `message_changed`, and `app_mention` again where it mentions the bot. */
export function editMessage(
  workspace: Workspace,
  channel: Channel,
  ts: string,
  edit: (before: StoredMessage) => Edit,
): StoredMessage | undefined {
  return workspace.change(channel, (change) => {
    const before = readMessage(change, ts);
    if (!before) return undefined;
    const wanted = edit(before);
    const content: MessageContent = { ...before.content, text: wanted.text };
    assign(content, 'blocks', wanted.blocks);
    assign(content, 'attachments', wanted.attachments);
    assign(content, 'metadata', wanted.metadata);
    if (wanted.editor !== undefined) content.edited = { user: wanted.editor, ts: editTs(change.now) };
    const after: StoredMessage = { ...before, content, auto_blocks: wanted.autoBlocks };
    updateMessage(change, after);
    emitChanged(change, before, after);
    if (wanted.editor !== undefined) emitMention(workspace, change, after);
    noteOnceDone(workspace, change, after, 'changed');
    return after;
  });
}

/** Deletes a message; a root that has replies leaves a placeholder (a tombstone), as in Slack. */
export function deleteMessage(workspace: Workspace, channel: Channel, ts: string): StoredMessage | undefined {
  return workspace.change(channel, (change) => {
    const before = readMessage(change, ts);
    if (!before) return undefined;
    noteOnceDone(workspace, change, before, 'deleted');
    if (before.reply_count > 0) {
      const content: MessageContent = {
        type: 'message',
        subtype: 'tombstone',
        text: 'This message was deleted.',
        user: SLACKBOT,
        hidden: true,
      };
      const after: StoredMessage = { ...before, content, author: SLACKBOT, reactions: [], auto_blocks: true };
      updateMessage(change, after);
      emitChanged(change, before, after);
      return before;
    }
    change.db.run('delete from message where channel_id = ? and ts = ?', channel.id, ts);
    if (before.ephemeral_for !== null) return before;
    if (before.thread_ts !== null) leaveThread(change.db, channel.id, before.thread_ts);
    change.emit({
      type: 'message',
      subtype: 'message_deleted',
      previous_message: eventMessage(before, channel),
      channel: channel.id,
      hidden: true,
      deleted_ts: ts,
      event_ts: change.ts,
      ts: change.ts,
      channel_type: channel.kind,
    });
    return before;
  });
}

function assign<Key extends 'blocks' | 'attachments' | 'metadata'>(
  content: MessageContent,
  key: Key,
  value: MessageContent[Key] | undefined,
): void {
  if (value === undefined || (Array.isArray(value) && value.length === 0))
    Reflect.deleteProperty(content, key);
  else content[key] = value;
}

/**
 * Counts a reply on its root and gives the root back as it then is. A `thread_ts` that names a reply counts for
 * that reply's root. Undefined where no such message exists: the post then belongs to no thread, as in Slack
 * (slack-facts.md, "A post into a deleted thread").
 */
export function joinThread(
  db: Database,
  channelId: string,
  threadTs: string,
  reply: { ts: string; author: string },
): StoredMessage | undefined {
  const named = messageRow(db, channelId, threadTs);
  const root = named?.thread_ts ? messageRow(db, channelId, named.thread_ts) : named;
  if (!root || root.ephemeral_for !== null || named?.ephemeral_for !== null) return undefined;
  const { author, ts } = reply;
  const known = root.reply_users;
  const counted = {
    reply_count: root.reply_count + 1,
    latest_reply: ts,
    reply_users: known.includes(author) ? known : [...known, author],
  };
  db.update('message', { channel_id: channelId, ts: root.ts }, counted);
  return { ...root, ...counted };
}

/** Counts again after a reply is gone; a deleted root without replies goes too. */
export function leaveThread(db: Database, channelId: string, rootTs: string): void {
  const replies = db
    .query<Pick<StoredMessage, 'author' | 'ts'>>(
      `select author, ts from message where channel_id = ? and thread_ts = ? and ephemeral_for is null order by ts`,
    )
    .all(channelId, rootTs);
  db.update(
    'message',
    { channel_id: channelId, ts: rootTs },
    {
      reply_count: replies.length,
      latest_reply: replies.at(-1)?.ts ?? null,
      reply_users: [...new Set(replies.map(({ author }) => author))],
    },
  );
  db.run(
    `delete from message where channel_id = ? and ts = ? and content ->> 'subtype' = 'tombstone' and reply_count = 0`,
    channelId,
    rootTs,
  );
}

/** A message of the past. */
export interface PastMessage {
  /** The channel's id. */
  channel: string;
  ts: string;
  threadTs?: string;
  text: string;
  /** The id of who wrote it; absent: the app did, under `username` where that is given. */
  user?: string;
  username?: string;
  metadata?: Metadata | undefined;
}

/** Adds messages of the past, parents before their replies. No app is notified. */
export function addHistory(workspace: Workspace, messages: readonly PastMessage[]): void {
  const { db, directory, ids } = workspace;
  const [app] = directory.apps.values();
  db.transaction(() => {
    for (const { channel: id, ts, threadTs, user, text, username, metadata } of messages) {
      const channel = directory.channels.get(id);
      const person = user === undefined ? undefined : directory.people.get(user);
      const author = person?.id ?? app?.botUserId;
      if (!channel || !app || author === undefined)
        throw new TypeError(`nobody can have said this in ${id}: ${ts}`);
      const { content, autoBlocks } = person
        ? writtenByPerson(directory, ids, person, text)
        : writtenByApp(workspace, app, { text, username, metadata });
      const root = threadTs === undefined ? undefined : joinThread(db, id, threadTs, { ts, author });
      const said = root ? { ...content, parent_user_id: root.author } : content;
      insertMessage({ db }, newRow({ channel, ts }, { author, autoBlocks }, said, root?.ts ?? null, false));
    }
  });
}
