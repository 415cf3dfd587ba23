import type { Block, JsonObject, MessageContent, StoredMessage } from './content.ts';
import { type Channel, SLACKBOT } from './directory.ts';
import { channelType } from './events.ts';
import { detectLanguage, emitLinkShared, unfurlLinks } from './links.ts';
import { emitChanged, emitMention, noteOnceDone } from './message-events.ts';
import { eventMessage, newMessageEvent } from './render.ts';
import { lock, newRow, save } from './rows.ts';
import { joinThread, leaveThread } from './threads.ts';
import { editTs } from './timestamps.ts';
import type { Change, Workspace } from './workspace.ts';
import type { Written } from './write.ts';

export interface Post extends Written {
  author: string;
  threadTs?: string | undefined;
  /** A reply that is shown in the channel too. */
  broadcast?: boolean;
  ephemeralFor?: string;
  /** false: Slack previews no links in it (`unfurl_links` and `unfurl_media` of a post). */
  unfurl?: boolean;
  /** More to do in the same transaction, before the apps are told of the message. */
  also?: (change: Change, message: StoredMessage) => Promise<void>;
}

/**
 * Posts a message and tells the apps: `message`, `app_mention` besides where the bot is mentioned, `link_shared` where
 * it links to a domain of the app's. What Slack changes in a message by itself follows, where that is switched on.
 */
export async function postMessage(
  workspace: Workspace,
  channel: Channel,
  post: Post,
): Promise<StoredMessage> {
  const { ephemeralFor } = post;
  if (ephemeralFor !== undefined)
    return workspace.change(channel, (change) => postForOne(workspace, change, post, ephemeralFor));
  // A message outside threads touches no other row, so that many of them are stored in one statement.
  const appends = post.threadTs === undefined && post.also === undefined;
  const message = await workspace.change(channel, (change) => postForAll(workspace, change, post), {
    appends,
  });
  if (workspace.noise.languageDetection) await detectLanguage(workspace, channel, message.ts);
  if (workspace.noise.unfurls && post.unfurl !== false) await unfurlLinks(workspace, channel, message);
  return message;
}

async function postForAll(workspace: Workspace, change: Change, post: Post): Promise<StoredMessage> {
  const { tx, channel, ts } = change;
  const root =
    post.threadTs === undefined
      ? undefined
      : await joinThread(tx, channel.id, post.threadTs, { ts, author: post.author });
  const content: MessageContent = { ...post.content };
  if (root) content.parent_user_id = root.author;
  const broadcast = root !== undefined && post.broadcast === true;
  if (broadcast && content.subtype === undefined) content.subtype = 'thread_broadcast';
  const message = newRow(change, post, content, root?.ts ?? null, broadcast);
  await change.append(message);
  await post.also?.(change, message);
  const event = newMessageEvent(message, channel);
  if (broadcast) event['root'] = eventMessage(root, channel);
  change.emit(event);
  emitMention(workspace, change, message);
  emitLinkShared(workspace, change, message);
  change.afterwards(() => workspace.panes.posted(message));
  noteOnceDone(workspace, change, message, 'posted');
  return message;
}

/** Seen by one person, told to no app, in no history (docs.slack.dev/reference/methods/chat.postEphemeral). */
async function postForOne(
  workspace: Workspace,
  change: Change,
  post: Post,
  person: string,
): Promise<StoredMessage> {
  const message = newRow(change, post, post.content, post.threadTs ?? null, false);
  message.ephemeral_for = person;
  await change.append(message);
  noteOnceDone(workspace, change, message, 'posted');
  return message;
}

/** What an edit gives anew; a field left out stays. `edited: false` leaves no mark (an app's update by blocks). */
export interface Edit {
  text: string;
  blocks?: Block[] | undefined;
  attachments?: JsonObject[] | undefined;
  metadata?: MessageContent['metadata'] | undefined;
  autoBlocks: boolean;
  /** Who edits; absent where the edit leaves no `edited` mark. */
  editor?: string | undefined;
}

/** Changes a message and tells the apps: `message_changed`, and `app_mention` again where it mentions the bot. */
export function editMessage(
  workspace: Workspace,
  channel: Channel,
  ts: string,
  edit: (before: StoredMessage) => Edit,
): Promise<StoredMessage | undefined> {
  return workspace.change(channel, async (change) => {
    const before = await lock(change, ts);
    if (!before) return undefined;
    const wanted = edit(before);
    const content: MessageContent = { ...before.content, text: wanted.text };
    assign(content, 'blocks', wanted.blocks);
    assign(content, 'attachments', wanted.attachments);
    assign(content, 'metadata', wanted.metadata);
    if (wanted.editor !== undefined) content.edited = { user: wanted.editor, ts: editTs(change.now) };
    const after: StoredMessage = { ...before, content, auto_blocks: wanted.autoBlocks };
    await save(change, after);
    emitChanged(change, before, after);
    if (wanted.editor !== undefined) emitMention(workspace, change, after);
    noteOnceDone(workspace, change, after, 'changed');
    return after;
  });
}

/** Deletes a message; a root that has replies leaves a placeholder (a tombstone), as in Slack. */
export function deleteMessage(
  workspace: Workspace,
  channel: Channel,
  ts: string,
): Promise<StoredMessage | undefined> {
  return workspace.change(channel, async (change) => {
    const { tx } = change;
    const before = await lock(change, ts);
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
      await save(change, after);
      emitChanged(change, before, after);
      return before;
    }
    await tx.deleteFrom('message').where('channel_id', '=', channel.id).where('ts', '=', ts).execute();
    if (before.ephemeral_for !== null) return before;
    if (before.thread_ts !== null) await leaveThread(tx, channel.id, before.thread_ts);
    change.emit({
      type: 'message',
      subtype: 'message_deleted',
      previous_message: eventMessage(before, channel),
      channel: channel.id,
      hidden: true,
      deleted_ts: ts,
      event_ts: change.ts,
      ts: change.ts,
      channel_type: channelType(channel),
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
