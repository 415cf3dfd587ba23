import type { Database } from '../store/database.ts';
import type { MessageContent, StoredMessage } from './content.ts';
import type { Change } from './workspace.ts';

/** What a new row takes from the post that makes it. */
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
export function read({ db, channel }: Change, ts: string): StoredMessage | undefined {
  return messageRow(db, channel.id, ts);
}

/** A message, whoever may see it. */
export function messageRow(db: Database, channelId: string, ts: string): StoredMessage | undefined {
  return db.query<StoredMessage>('select * from message where channel_id = ? and ts = ?').get(channelId, ts);
}

/** Stores a new message. */
export function store({ db }: Pick<Change, 'db'>, message: StoredMessage): void {
  const {
    reply_count: _count,
    reply_users: _users,
    latest_reply: _latest,
    reactions: _reactions,
    ...row
  } = message;
  db.insert('message', row);
}

/** Stores what an edit changed. */
export function save({ db }: Change, message: StoredMessage): void {
  const { channel_id, ts, content, author, auto_blocks, reactions } = message;
  db.update('message', { channel_id, ts }, { content, author, auto_blocks, reactions });
}
