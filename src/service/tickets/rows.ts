import { type Selectable, sql } from 'kysely';

import type { Status, Ticket } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { StatusKind, Tables } from '../schema/tables.ts';
import { statusRequestTypes } from '../statuses/records.ts';

/** A ticket with everything its records show, in one statement: a page of tickets costs no more than one. */
export type TicketRow = Selectable<Tables['ticket']> & {
  queue_name: string;
  queue_prefix: string;
  queue_emoji: string | null;
  workspace_slug: string;
  status_label: string;
  status_position: number;
  status_system: boolean;
  status_group_id: string;
  status_created_at: Date;
  status_updated_at: Date;
  group_label: string;
  group_kind: StatusKind;
  status_request_types: Status['requestTypes'];
  request_type_name: string | null;
  request_type_private: boolean | null;
  parent_number: number | null;
  parent_prefix: string | null;
  approvers: string[];
  followers: string[];
  chat_threads: Ticket['chatThreads'];
  ratings: { id: string; score: number; feedback: string | null }[];
  children: Ticket['children'];
  tags: Ticket['tags'];
};

const people = (table: 'ticket_approver' | 'ticket_follower') =>
  sql<string[]>`(
    select coalesce(json_agg(x.person_id order by x.position), '[]') from ${sql.table(table)} x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

const chatThreads = sql<Ticket['chatThreads']>`(
  select coalesce(json_agg(json_build_object(
    'id', x.id, 'type', x.type, 'userId', x.user_id, 'appId', x.app_id, 'channelId', x.channel_id,
    'messageTs', x.message_ts, 'mirrorTs', x.mirror_ts, 'ticketId', x.ticket_id,
    'createdAt', ${jsonInstant('x.created_at')}, 'updatedAt', ${jsonInstant('x.updated_at')}) order by x.id), '[]')
  from chat_thread x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

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

/** Tickets by id, in the order of `ids`. */
export async function ticketRows(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<TicketRow[]> {
  if (ids.length === 0) return [];
  const rows: TicketRow[] = await db
    .selectFrom('ticket as t')
    .innerJoin('queue as q', (join) =>
      join.onRef('q.workspace_id', '=', 't.workspace_id').onRef('q.id', '=', 't.queue_id'),
    )
    .innerJoin('workspace as w', 'w.id', 't.workspace_id')
    .innerJoin('status as s', (join) =>
      join.onRef('s.workspace_id', '=', 't.workspace_id').onRef('s.id', '=', 't.status_id'),
    )
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .leftJoin('request_type as r', (join) =>
      join.onRef('r.workspace_id', '=', 't.workspace_id').onRef('r.id', '=', 't.request_type_id'),
    )
    .leftJoin('ticket as p', (join) =>
      join.onRef('p.workspace_id', '=', 't.workspace_id').onRef('p.id', '=', 't.parent_id'),
    )
    .leftJoin('queue as pq', (join) =>
      join.onRef('pq.workspace_id', '=', 'p.workspace_id').onRef('pq.id', '=', 'p.queue_id'),
    )
    .selectAll('t')
    .select([
      'q.name as queue_name',
      'q.prefix as queue_prefix',
      'q.emoji as queue_emoji',
      'w.slug as workspace_slug',
      's.label as status_label',
      's.position as status_position',
      's.system as status_system',
      's.status_group_id',
      's.created_at as status_created_at',
      's.updated_at as status_updated_at',
      'g.label as group_label',
      'g.kind as group_kind',
      'r.name as request_type_name',
      'r.is_private as request_type_private',
      'p.number as parent_number',
      'pq.prefix as parent_prefix',
      statusRequestTypes('s').as('status_request_types'),
      people('ticket_approver').as('approvers'),
      people('ticket_follower').as('followers'),
      chatThreads.as('chat_threads'),
      ratings.as('ratings'),
      children.as('children'),
      tags.as('tags'),
    ])
    .where('t.workspace_id', 'in', workspaceIds)
    .where('t.id', 'in', ids)
    .execute();
  return inOrder(ids, rows);
}
