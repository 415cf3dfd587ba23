import type { Selectable, SelectQueryBuilder } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredMessage } from './content.ts';

export interface Window {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive: boolean;
}

export interface Page {
  messages: StoredMessage[];
  hasMore: boolean;
}

type MessageQuery = SelectQueryBuilder<Tables, 'message', Selectable<Tables['message']>>;

/**
 * One page of a channel's own messages (no replies but broadcast ones), newest first. With `oldest` alone the page
 * is the one next to `oldest`, otherwise the one next to `latest` (docs.slack.dev, conversations.history). `after`
 * is the ts where the page before ended.
 */
export async function historyPage(
  db: Db<Tables>,
  channelId: string,
  window: Window,
  limit: number,
  after: string | undefined,
): Promise<Page> {
  const forward = window.oldest !== undefined && window.latest === undefined;
  let query = within(visible(db, channelId), window).where((where) =>
    where.or([where('thread_ts', 'is', null), where('broadcast', '=', true)]),
  );
  if (after !== undefined) query = query.where('ts', forward ? '>' : '<', after);
  const rows = await query
    .orderBy('ts', forward ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return { messages: forward ? page.reverse() : page, hasMore: rows.length > limit };
}

/** One page of a thread's replies, oldest first. */
export async function repliesPage(
  db: Db<Tables>,
  channelId: string,
  rootTs: string,
  window: Window,
  limit: number,
  after: string | undefined,
): Promise<Page> {
  let query = within(visible(db, channelId), window).where('thread_ts', '=', rootTs);
  if (after !== undefined) query = query.where('ts', '>', after);
  const rows = await query
    .orderBy('ts', 'asc')
    .limit(limit + 1)
    .execute();
  return { messages: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** A message that everybody sees. */
export async function findMessage(
  db: Db<Tables>,
  channelId: string,
  ts: string,
): Promise<StoredMessage | undefined> {
  return visible(db, channelId).where('ts', '=', ts).executeTakeFirst();
}

/** Everything in a channel, or in one of its threads, in ts order, replies included; ephemeral ones of `person` among them. */
export async function everything(
  db: Db<Tables>,
  channelId: string,
  { person, thread }: { person?: string | undefined; thread?: string | undefined } = {},
): Promise<StoredMessage[]> {
  const query = db
    .selectFrom('message')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where((where) =>
      where.or([where('ephemeral_for', 'is', null), where('ephemeral_for', '=', person ?? '')]),
    )
    .orderBy('ts');
  if (thread === undefined) return query.execute();
  return query
    .where((where) => where.or([where('ts', '=', thread), where('thread_ts', '=', thread)]))
    .execute();
}

function visible(db: Db<Tables>, channelId: string): MessageQuery {
  return db
    .selectFrom('message')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where('ephemeral_for', 'is', null);
}

function within(query: MessageQuery, { oldest, latest, inclusive }: Window): MessageQuery {
  let narrowed = query;
  if (oldest !== undefined) narrowed = narrowed.where('ts', inclusive ? '>=' : '>', oldest);
  if (latest !== undefined) narrowed = narrowed.where('ts', inclusive ? '<=' : '<', latest);
  return narrowed;
}
