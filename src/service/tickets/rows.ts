import { type Selectable, sql } from 'kysely';

import type { Status, Ticket } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { ServiceDb } from '../handler.ts';
import { jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { Tables } from '../schema/tables.ts';
import { statusRequestTypes } from '../statuses/records.ts';

/**
 * A ticket with all relations in one statement: a page of tickets costs no more than one. Relations are subselects, not
 * joins: planning an eight-way join took longer (4 ms) than everything else.
 */
export type TicketRow = Selectable<Tables['ticket']> & {
  queue: { name: string; prefix: string; emoji: string | null; slug: string };
  status: Status;
  request_type: Ticket['requestType'];
  parent: Ticket['parent'];
  approvers: string[];
  followers: string[];
  chat_threads: Ticket['chatThreads'];
  ratings: { id: string; score: number; feedback: string | null }[];
  children: Ticket['children'];
  tags: Ticket['tags'];
};

const queue = sql<TicketRow['queue']>`(
  select json_build_object('name', q.name, 'prefix', q.prefix, 'emoji', q.emoji, 'slug', w.slug)
  from queue q join workspace w on w.id = q.workspace_id
  where q.workspace_id = t.workspace_id and q.id = t.queue_id)`;

const status = sql<Status>`(
  select json_build_object(
    'id', s.id, 'label', s.label, 'order', s.position, 'system', s.system,
    'requestTypes', ${statusRequestTypes('s')},
    'statusGroup', json_build_object('id', g.id, 'label', g.label, 'workspaceId', g.workspace_id),
    'statusGroupId', g.id,
    'createdAt', ${jsonInstant('s.created_at')}, 'updatedAt', ${jsonInstant('s.updated_at')})
  from status s join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
  where s.workspace_id = t.workspace_id and s.id = t.status_id)`;

const requestType = sql<Ticket['requestType']>`(
  select json_build_object('id', r.id, 'name', r.name, 'isPrivate', r.is_private)
  from request_type r where r.workspace_id = t.workspace_id and r.id = t.request_type_id)`;

const parent = sql<Ticket['parent']>`(
  select json_build_object('number', p.number, 'queue', json_build_object('prefix', q.prefix))
  from ticket p join queue q on q.workspace_id = p.workspace_id and q.id = p.queue_id
  where p.workspace_id = t.workspace_id and p.id = t.parent_id)`;

const people = (table: 'ticket_approver' | 'ticket_follower') =>
  sql<string[]>`(
    select coalesce(json_agg(x.person_id order by x.position), '[]') from ${sql.table(table)} x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

const chatThreads = sql<Ticket['chatThreads']>`(
  select coalesce(json_agg(json_build_object(
    'id', x.id, 'type', x.type, 'userId', x.user_id, 'appId', x.app_id, 'channelId', x.channel_id,
    'messageTs', x.message_ts, 'mirrorTs', x.mirror_ts, 'ticketId', x.ticket_id,
    'createdAt', ${jsonInstant('x.created_at')}, 'updatedAt', ${jsonInstant('x.updated_at')}) order by x.id), '[]')
  from chat_thread x where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.replaced_at is null)`;

const ratings = sql<TicketRow['ratings']>`(
  select coalesce(json_agg(json_build_object('id', x.id, 'score', x.score, 'feedback', x.feedback) order by x.id), '[]')
  from csat x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

const children = sql<Ticket['children']>`(
  select coalesce(json_agg(json_build_object(
    'id', x.id, 'title', x.title, 'description', x.description, 'number', x.number, 'statusId', x.status_id,
    'legacyStatus', xg.kind) order by x.id), '[]')
  from ticket x
  join status xs on xs.workspace_id = x.workspace_id and xs.id = x.status_id
  join status_group xg on xg.workspace_id = xs.workspace_id and xg.id = xs.status_group_id
  where x.workspace_id = t.workspace_id and x.parent_id = t.id)`;

const tags = sql<Ticket['tags']>`(
  select coalesce(json_agg(json_build_object('id', x.id, 'name', x.name, 'color', x.color) order by x.name), '[]')
  from ticket_tag tt join tag x on x.workspace_id = tt.workspace_id and x.id = tt.tag_id
  where tt.workspace_id = t.workspace_id and tt.ticket_id = t.id)`;

const ticketsById = compiledOnce<Tables, TicketRow>((db) =>
  db
    .selectFrom('ticket as t')
    .selectAll('t')
    .select([
      queue.as('queue'),
      status.as('status'),
      requestType.as('request_type'),
      parent.as('parent'),
      people('ticket_approver').as('approvers'),
      people('ticket_follower').as('followers'),
      chatThreads.as('chat_threads'),
      ratings.as('ratings'),
      children.as('children'),
      tags.as('tags'),
    ])
    .where(sql<boolean>`t.workspace_id = any(${[]}::text[]) and t.id = any(${[]}::text[])`),
);

/** Tickets by id, in the order of `ids`. */
export async function ticketRows(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<TicketRow[]> {
  if (ids.length === 0) return [];
  return inOrder(ids, await ticketsById(db, workspaceIds, ids));
}
