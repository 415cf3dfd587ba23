import { sql } from 'kysely';
import { decodeTime, encodeTime } from 'ulid';

import { BRIDGE_CHANNEL, ID_PREFIXES, NEWS_MS } from '../../contract/index.ts';
import { transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import {
  type Decided,
  type NewTicket,
  type NewTicketMessage,
  ofChange,
  ofMessage,
  ofTicket,
  type StoredChange,
} from './decide.ts';

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

interface Progress {
  since: Date;
  tickets_from: Date;
  messages_from: Date;
}

export interface DeriveContext {
  newId: NewId;
  now: Date;
  done: Done;
}

/**
 * Stores the notifications of what happened since the last run, in each workspace that has agents or admins.
 * @returns whether there is more.
 */
export async function deriveNotifications(db: ServiceDb, context: DeriveContext): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select id from workspace w where exists (
      select from person p where p.workspace_id = w.id and p.role <> 'requester')`.execute(db);
  const { done, now } = context;
  let isMore = false;
  for (const { id: workspaceId } of rows) {
    const found = await transaction(db, (tx) => deriveIn(tx, workspaceId, context));
    for (const id of found.ids) done.set(id, now.getTime());
    if (found.isMore) isMore = true;
  }
  for (const [id, at] of done) if (at < now.getTime() - KEPT_MS) done.delete(id);
  return isMore;
}

async function deriveIn(
  tx: ServiceTx,
  workspaceId: string,
  { newId, now, done }: DeriveContext,
): Promise<{ ids: string[]; isMore: boolean }> {
  const progress = await lockProgress(tx, workspaceId, now);
  if (!progress) return { ids: [], isMore: false };
  const changes = await takeChanges(tx, workspaceId);
  const tickets = await newIds(tx, 'ticket', workspaceId, progress.tickets_from, done);
  const messages = await newIds(tx, 'ticket_message', workspaceId, progress.messages_from, done);
  const decided = [
    ...(await newTickets(tx, workspaceId, tickets.ids, progress.since)).flatMap(ofTicket),
    ...changes.flatMap(ofChange),
    ...(await newMessages(tx, workspaceId, messages.ids, progress.since, now)).flatMap(ofMessage),
  ];
  await store(tx, workspaceId, newId, decided);
  const isDue = progress.messages_from.getTime() < now.getTime() - 2 * OVERLAP_MS;
  // Nothing is written while nothing happens, but once a minute.
  if (isDue || tickets.last !== undefined || messages.last !== undefined) {
    const nextFrom = (found: { last: Date | undefined }, from: Date) =>
      found.last ?? new Date(Math.max(from.getTime(), now.getTime() - OVERLAP_MS));
    await tx
      .updateTable('notification_progress')
      .set({
        tickets_from: nextFrom(tickets, progress.tickets_from),
        messages_from: nextFrom(messages, progress.messages_from),
      })
      .where('workspace_id', '=', workspaceId)
      .execute();
  }
  const isMore = changes.length === AT_ONCE || tickets.last !== undefined || messages.last !== undefined;
  return { ids: [...tickets.ids, ...messages.ids], isMore };
}

/** Returns where to continue; undefined while another process is at it. */
async function lockProgress(tx: ServiceTx, workspaceId: string, now: Date): Promise<Progress | undefined> {
  const find = () =>
    tx
      .selectFrom('notification_progress')
      .select(['since', 'tickets_from', 'messages_from'])
      .where('workspace_id', '=', workspaceId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
  const known = await find();
  if (known) return known;
  await tx
    .insertInto('notification_progress')
    .values({ workspace_id: workspaceId, since: now, tickets_from: now, messages_from: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return find();
}

/** Removes stored changes and returns them, oldest first. */
async function takeChanges(tx: ServiceTx, workspaceId: string): Promise<StoredChange[]> {
  const { rows } = await sql<StoredChange>`
    with taken as (
      delete from notification_change where workspace_id = ${workspaceId} and id in (
        select id from notification_change where workspace_id = ${workspaceId} order by id limit ${AT_ONCE})
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

const PREFIX = { ticket: ID_PREFIXES.ticket, ticket_message: ID_PREFIXES.ticketMessage };
const ULID_LENGTH = 26;
const TIME_LENGTH = 10;

/** Returns ids that were made at or after an instant and are not done; `last` is the instant reached, if there are more. */
async function newIds(
  tx: ServiceTx,
  table: 'ticket' | 'ticket_message',
  workspaceId: string,
  from: Date,
  done: Done,
): Promise<{ ids: string[]; last: Date | undefined }> {
  const start = `${PREFIX[table]}_${encodeTime(from.getTime(), TIME_LENGTH).toLowerCase()}`;
  const rows = await tx
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '>=', start)
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
  const last = rows.length === AT_ONCE ? rows.at(-1)?.id : undefined;
  return {
    ids: rows.map(({ id }) => id).filter((id) => !done.has(id)),
    last: last === undefined ? undefined : new Date(decodeTime(last.slice(-ULID_LENGTH).toUpperCase())),
  };
}

async function newTickets(
  tx: ServiceTx,
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
    order by t.id`.execute(tx);
  return rows;
}

/** Messages as chat announces them: not the bridge's own notes, and not old ones. */
async function newMessages(
  tx: ServiceTx,
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
    order by m.id`.execute(tx);
  return rows;
}

/**
 * Stores notifications, each once: of active agents and admins who see the ticket, and its internal notes if it is about
 * one. Somebody from whom it was taken may know that.
 */
async function store(
  tx: ServiceTx,
  workspaceId: string,
  newId: NewId,
  decided: readonly Decided[],
): Promise<void> {
  if (decided.length === 0) return;
  const rows = decided.map((one) => ({ ...one, id: newId(ID_PREFIXES.notification) }));
  await sql`
    insert into notification (workspace_id, id, person_id, kind, ticket_id, message_id, source_id, actor_id, created_at)
    select ${workspaceId}, d.id, d.person_id, d.kind, d.ticket_id, d.message_id, d.source_id, d.actor_id, d.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as d (id text, person_id text, kind text, ticket_id text,
      message_id text, source_id text, actor_id text, at timestamptz)
    join person p on p.workspace_id = ${workspaceId} and p.id = d.person_id and p.role <> 'requester' and not p.is_bot
      and p.deactivated_at is null and p.erased_at is null
    join ticket t on t.workspace_id = ${workspaceId} and t.id = d.ticket_id
    left join ticket_message m on m.workspace_id = ${workspaceId} and m.id = d.message_id
    cross join lateral (select p.role = 'admin' or p.queue_ids is null or t.queue_id = any(p.queue_ids) as of_team) v
    where d.kind = 'reassigned' or (
      (v.of_team or not t.private or p.id in (t.requester_id, t.author_id, t.assignee_id)
        or exists (select from ticket_approver x
          where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.person_id = p.id)
        or exists (select from ticket_follower x
          where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.person_id = p.id))
      and (m.private is not true or v.of_team or t.assignee_id = p.id))
    order by d.id
    on conflict (workspace_id, person_id, source_id, kind) do nothing`.execute(tx);
}
