import { sql } from 'kysely';
import { encodeTime } from 'ulid';

import { BRIDGE_CHANNEL, ID_PREFIXES, NEWS_MS } from '../../contract/index.ts';
import { transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import {
  type NewTicket,
  type NewTicketMessage,
  ofChange,
  ofMessage,
  ofTicket,
  type StoredChange,
} from './decide.ts';
import { storeNotifications } from './store.ts';

// Writes of tickets and messages do not wait for notifications: new records are found by their ids, which begin with
// the time; only a change of a ticket is stored with it (changes.ts), because its record does not say who made it.

/** Records of each kind per run; the next run continues. */
const AT_ONCE = 2_000;
/** A record may become visible this long after its id was made. */
const OVERLAP_MS = 60_000;

/** How long ids are remembered: longer than they are read again. */
const KEPT_MS = 4 * OVERLAP_MS;

/** Ids of the last minutes that are done. After a restart they are read again; each is stored once anyway. */
export type Done = Map<string, number>;

export interface DeriveContext {
  newId: NewId;
  now: Date;
  done: Done;
}

/** The new tickets, messages and changes of one workspace since the last run. */
interface News {
  workspace_id: string;
  /** Nobody is notified of anything older; null at the first run. */
  since: Date | null;
  tickets_from: string;
  messages_from: string;
  has_changes: boolean;
  ticket_ids: string[];
  message_ids: string[];
}

/**
 * Stores the notifications of what happened since the last run, in each workspace that has agents or admins.
 * @returns whether there is more.
 */
export async function deriveNotifications(db: ServiceDb, context: DeriveContext): Promise<boolean> {
  const { done, now } = context;
  let isMore = false;
  for (const news of await readNews(db)) if (await deriveIn(db, news, context)) isMore = true;
  for (const [id, at] of done) if (at < now.getTime() - KEPT_MS) done.delete(id);
  return isMore;
}

/** One statement, as most runs find nothing. Without a row of its own a workspace begins now. */
async function readNews(db: ServiceDb): Promise<News[]> {
  const { rows } = await sql<News>`
    select w.id as workspace_id, p.since, p.tickets_from, p.messages_from,
      exists (select from notification_change c where c.workspace_id = w.id) as has_changes,
      array(select t.id from ticket t where t.workspace_id = w.id and t.id >= p.tickets_from
        order by t.id limit ${AT_ONCE}) as ticket_ids,
      array(select m.id from ticket_message m where m.workspace_id = w.id and m.id >= p.messages_from
        order by m.id limit ${AT_ONCE}) as message_ids
    from workspace w left join notification_progress p on p.workspace_id = w.id
    where exists (select from person a where a.workspace_id = w.id and a.role <> 'requester')`.execute(db);
  return rows;
}

/** Each notification is stored once, so two processes may do the same; only a stored change is taken by one of them. */
async function deriveIn(db: ServiceDb, news: News, { newId, now, done }: DeriveContext): Promise<boolean> {
  const { workspace_id: workspaceId, since } = news;
  const soon = new Date(now.getTime() - OVERLAP_MS);
  if (!since) {
    await begin(db, workspaceId, now);
    return false;
  }
  const fresh = (ids: readonly string[]) => ids.filter((id) => !done.has(id));
  const [tickets, messages] = [fresh(news.ticket_ids), fresh(news.message_ids)];
  const decided = [
    ...(await newTickets(db, workspaceId, tickets, since)).flatMap(ofTicket),
    ...(await newMessages(db, workspaceId, messages, since, now)).flatMap(ofMessage),
  ];
  let isMore = [news.ticket_ids, news.message_ids].some((ids) => ids.length === AT_ONCE);
  if (news.has_changes)
    await transaction(db, async (tx) => {
      const changes = await takeChanges(tx, workspaceId);
      isMore ||= changes.length === AT_ONCE;
      await storeNotifications(tx, workspaceId, newId, [...decided, ...changes.flatMap(ofChange)]);
    });
  else await storeNotifications(db, workspaceId, newId, decided);
  const next = {
    tickets_from: nextStart('ticket', news.ticket_ids, news.tickets_from, soon),
    messages_from: nextStart('ticket_message', news.message_ids, news.messages_from, soon),
  };
  // Nothing is written while nothing happens, but once a minute.
  const isDue = news.messages_from < firstIdFrom('ticket_message', new Date(soon.getTime() - OVERLAP_MS));
  if (isDue || isMore)
    await db.updateTable('notification_progress').set(next).where('workspace_id', '=', workspaceId).execute();
  for (const id of [...tickets, ...messages]) done.set(id, now.getTime());
  return isMore;
}

async function begin(db: ServiceDb, workspaceId: string, now: Date): Promise<void> {
  await db
    .insertInto('notification_progress')
    .values({
      workspace_id: workspaceId,
      since: now,
      tickets_from: firstIdFrom('ticket', now),
      messages_from: firstIdFrom('ticket_message', now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const PREFIX = { ticket: ID_PREFIXES.ticket, ticket_message: ID_PREFIXES.ticketMessage };
const TIME_LENGTH = 10;

/** Returns the lower bound of the ids that are created from a time on. */
const firstIdFrom = (table: keyof typeof PREFIX, from: Date): string =>
  `${PREFIX[table]}_${encodeTime(from.getTime(), TIME_LENGTH).toLowerCase()}`;

/** Where the next run begins: at the last id read if there are more, or else not long ago. */
function nextStart(table: keyof typeof PREFIX, ids: readonly string[], from: string, soon: Date): string {
  const last = ids.length === AT_ONCE ? ids.at(-1) : undefined;
  const start = firstIdFrom(table, soon);
  return last ?? (from > start ? from : start);
}

/** Removes stored changes and returns them, oldest first. */
async function takeChanges(tx: ServiceTx, workspaceId: string): Promise<StoredChange[]> {
  const { rows } = await sql<StoredChange>`
    with taken as (
      delete from notification_change where workspace_id = ${workspaceId} and id in (
        select id from notification_change where workspace_id = ${workspaceId} order by id limit ${AT_ONCE}
        for update skip locked)
      returning *
    )
    select c.id, c.ticket_id, c.facts, c.created_at, ${isSilent} as silent,
      ${hasEnded(sql`c.facts -> 'before' ->> 'statusId'`)} as was_ended,
      ${hasEnded(sql`c.facts -> 'now' ->> 'statusId'`)} as is_ended
    from taken c join ticket t on t.workspace_id = c.workspace_id and t.id = c.ticket_id
    order by c.id`.execute(tx);
  return rows;
}

const isSilent = sql`coalesce((select (q.settings ->> 'silentMode')::boolean from queue q
  where q.workspace_id = t.workspace_id and q.id = t.queue_id), false)`;
const hasEnded = (statusId: ReturnType<typeof sql>) =>
  sql`coalesce((select g.kind in ('RESOLVED', 'CLOSED') from status s
    join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
    where s.workspace_id = t.workspace_id and s.id = ${statusId}), false)`;

async function newTickets(
  db: ServiceDb,
  workspaceId: string,
  ids: readonly string[],
  since: Date,
): Promise<NewTicket[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<NewTicket>`
    select t.id, t.author_id, t.created_at, ${isSilent} as silent,
      -- A later assignment is a change of its own.
      case when t.assigned_at = t.created_at then t.assignee_id end as assignee_id,
      case when t.approval is null then array(select a.person_id from ticket_approver a
        where a.workspace_id = t.workspace_id and a.ticket_id = t.id) else '{}' end as approvers
    from ticket t
    where t.workspace_id = ${workspaceId} and t.id = any(${ids}::text[]) and t.created_at >= ${since}
    order by t.id`.execute(db);
  return rows;
}

/** Messages as chat announces them: not the bridge's own notes, and not old ones. */
async function newMessages(
  db: ServiceDb,
  workspaceId: string,
  ids: readonly string[],
  since: Date,
  now: Date,
): Promise<NewTicketMessage[]> {
  if (ids.length === 0) return [];
  const oldest = new Date(Math.max(since.getTime(), now.getTime() - NEWS_MS));
  const { rows } = await sql<NewTicketMessage>`
    select m.id, m.ticket_id, m.content, m.author_id, m.private, m.created_at, t.assignee_id, ${isSilent} as silent,
      array(select f.person_id from ticket_follower f
        where f.workspace_id = t.workspace_id and f.ticket_id = t.id order by f.position) as followers
    from ticket_message m join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and m.id = any(${ids}::text[]) and m.deleted_at is null
      and m.created_at >= ${oldest} and m.chat_channel_id is distinct from ${BRIDGE_CHANNEL}
    order by m.id`.execute(db);
  return rows;
}
