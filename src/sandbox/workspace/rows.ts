import type { MessageContent, StoredMessage } from './content.ts';
import type { Change } from './workspace.ts';

/** What a new row takes from the post that makes it. */
export interface NewRow {
  author: string;
  autoBlocks: boolean;
}

/** A message as the change that makes it will store it. */
export function newRow(
  { channel, ts }: Change,
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

/** Reads a message and keeps others from changing it until the transaction ends (the channel's row is held). */
export async function lock({ tx, channel }: Change, ts: string): Promise<StoredMessage | undefined> {
  return tx
    .selectFrom('message')
    .selectAll()
    .where('channel_id', '=', channel.id)
    .where('ts', '=', ts)
    .executeTakeFirst();
}

/** Stores what an edit changed. */
export async function save({ tx }: Change, message: StoredMessage): Promise<void> {
  await tx
    .updateTable('message')
    .set({
      content: JSON.stringify(message.content),
      author: message.author,
      auto_blocks: message.auto_blocks,
      reactions: JSON.stringify(message.reactions),
    })
    .where('channel_id', '=', message.channel_id)
    .where('ts', '=', message.ts)
    .execute();
}
