import type { Database } from '../store/database.ts';
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
      `${VISIBLE} and (thread_ts is null or broadcast) ${within(window)} and ts ${forward ? '>' : '<'} ?
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
    .query<StoredMessage>(`${VISIBLE} and thread_ts = ? ${within(window)} and ts > ? order by ts limit ?`)
    .all(channelId, rootTs, ...bounds(window), after ?? '', limit + 1);
  return { messages: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** A message that everybody sees. */
export function findMessage(db: Database, channelId: string, ts: string): StoredMessage | undefined {
  return db.query<StoredMessage>(`${VISIBLE} and ts = ?`).get(channelId, ts);
}

/** Everything in a channel, or in one of its threads, in ts order, replies included; ephemeral ones of `person` among them. */
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

function within({ inclusive }: Window): string {
  return inclusive ? 'and ts >= ? and ts <= ?' : 'and ts > ? and ts < ?';
}

function bounds({ oldest = '', latest = END }: Window): string[] {
  return [oldest, latest];
}
