import { sql } from 'kysely';

import type { Tx } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredMessage } from './content.ts';

/**
 * Counts a reply on its root and gives the root back as it then is. A `thread_ts` that names a reply counts for
 * that reply's root. Undefined where no such message exists: the post then belongs to no thread, as in Slack
 * (slack-facts.md, "A post into a deleted thread").
 */
export async function joinThread(
  tx: Tx<Tables>,
  channelId: string,
  threadTs: string,
  reply: { ts: string; author: string },
): Promise<StoredMessage | undefined> {
  const root = await countReply(tx, channelId, threadTs, reply);
  if (root) return root;
  const named = await tx
    .selectFrom('message')
    .select('thread_ts')
    .where('channel_id', '=', channelId)
    .where('ts', '=', threadTs)
    .where('ephemeral_for', 'is', null)
    .executeTakeFirst();
  const realRoot = named?.thread_ts;
  return realRoot ? countReply(tx, channelId, realRoot, reply) : undefined;
}

async function countReply(
  tx: Tx<Tables>,
  channelId: string,
  rootTs: string,
  reply: { ts: string; author: string },
): Promise<StoredMessage | undefined> {
  const result = await sql<StoredMessage>`
    update message set
      reply_count = reply_count + 1,
      latest_reply = ${reply.ts},
      reply_users = case when ${reply.author} = any(reply_users) then reply_users
                         else reply_users || ${reply.author}::text end
    where channel_id = ${channelId} and ts = ${rootTs} and thread_ts is null and ephemeral_for is null
    returning *`.execute(tx);
  return result.rows[0];
}

/** Counts again after a reply is gone; a deleted root without replies goes too. */
export async function leaveThread(tx: Tx<Tables>, channelId: string, rootTs: string): Promise<void> {
  await sql`
    update message set
      reply_count = (select count(*) from message r where r.channel_id = ${channelId} and r.thread_ts = ${rootTs}
                     and r.ephemeral_for is null),
      latest_reply = (select max(r.ts) from message r where r.channel_id = ${channelId} and r.thread_ts = ${rootTs}
                      and r.ephemeral_for is null),
      reply_users = coalesce((select array_agg(author order by first) from (
        select r.author, min(r.ts) as first from message r
        where r.channel_id = ${channelId} and r.thread_ts = ${rootTs} and r.ephemeral_for is null
        group by r.author) authors), '{}')
    where channel_id = ${channelId} and ts = ${rootTs}`.execute(tx);
  await sql`
    delete from message where channel_id = ${channelId} and ts = ${rootTs}
    and content->>'subtype' = 'tombstone' and reply_count = 0`.execute(tx);
}
