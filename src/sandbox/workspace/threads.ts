import type { Database } from '../store/database.ts';
import type { StoredMessage } from './content.ts';
import { messageRow } from './rows.ts';

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
