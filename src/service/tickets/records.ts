import { type RawBuilder, sql } from 'kysely';

import type { ThinTicket, Ticket, TicketDetail } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';
import { statusRequestTypes } from '../statuses/records.ts';
import type { StoredTicket, TicketKey } from './find.ts';

/** A ticket with all relations, as one statement reads it: a page of tickets costs no more than one. */
export interface TicketRow {
  id: string;
  ticket: TicketDetail;
  ratingIds: string[];
}

const people = (table: 'ticket_approver' | 'ticket_follower') =>
  sql`(select coalesce(json_agg(json_build_object('id', x.person_id) order by x.position), '[]')
    from ${sql.table(table)} x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`;

/** The fields of a chat thread, of a row `x`. */
export const threadJson = sql`json_build_object(
  'id', x.id, 'type', x.type, 'userId', x.user_id, 'appId', x.app_id, 'channelId', x.channel_id,
  'messageTs', x.message_ts, 'mirrorTs', x.mirror_ts, 'ticketId', x.ticket_id,
  'createdAt', ${jsonInstant('x.created_at')}, 'updatedAt', ${jsonInstant('x.updated_at')})`;

/** The fields of a tag, of a row `x`. */
export const tagJson = sql`json_build_object('id', x.id, 'name', x.name, 'color', x.color)`;

/** The relations that other rows refer to the ticket for: a new ticket's are not in their tables yet. */
const RELATIONS = {
  approvers: people('ticket_approver'),
  followers: people('ticket_follower'),
  chatThreads: sql`(select coalesce(json_agg(${threadJson} order by x.id), '[]')
    from chat_thread x where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.replaced_at is null)`,
  csat: sql`(select coalesce(json_agg(json_build_object('score', x.score, 'feedback', x.feedback) order by x.id), '[]')
    from csat x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`,
  children: sql`(
    select coalesce(json_agg(json_build_object(
      'id', x.id, 'title', x.title, 'description', x.description, 'number', x.number, 'statusId', x.status_id,
      'legacyStatus', xg.kind) order by x.id), '[]')
    from ticket x
    join status xs on xs.workspace_id = x.workspace_id and xs.id = x.status_id
    join status_group xg on xg.workspace_id = xs.workspace_id and xg.id = xs.status_group_id
    where x.workspace_id = t.workspace_id and x.parent_id = t.id)`,
  tags: sql`(select coalesce(json_agg(${tagJson} order by x.name), '[]')
    from ticket_tag tt join tag x on x.workspace_id = tt.workspace_id and x.id = tt.tag_id
    where tt.workspace_id = t.workspace_id and tt.ticket_id = t.id)`,
};

/**
 * Returns the ticket of a row `t` as JSON. Relations are subselects, not joins: planning an eight-way join took longer
 * (4 ms) than everything else.
 * @param now decides whether the claim still holds.
 */
export function ticketJson(now: Date, relations: typeof RELATIONS = RELATIONS): RawBuilder<TicketDetail> {
  const at = (column: string) => jsonInstant(`t.${column}`);
  return sql<TicketDetail>`(
    select json_build_object(
      'id', t.id, 'number', t.number, 'shortId', t.short_id, 'code', q.prefix || '-' || t.number,
      'title', t.title, 'description', t.description, 'priority', t.priority, 'published', t.published,
      'private', t.private, 'source', t.source, 'queueId', t.queue_id, 'requesterId', t.requester_id,
      'authorId', t.author_id, 'assigneeId', t.assignee_id, 'statusId', t.status_id,
      'requestTypeId', t.request_type_id, 'parentId', t.parent_id, 'disableAIResponse', t.disable_ai_response,
      'assignedAIAgent', t.assigned_ai_agent, 'chatChannelId', t.chat_channel_id, 'publishedAt', ${at('published_at')},
      'assignedAt', ${at('assigned_at')}, 'dueAt', ${at('due_at')}, 'snoozeUntil', ${at('snooze_until')},
      'approvedAt', ${at('approved_at')}, 'declinedAt', ${at('declined_at')}, 'startAt', ${at('start_at')},
      'respondedAt', ${at('responded_at')}, 'resolvedAt', ${at('resolved_at')}, 'closedAt', ${at('closed_at')},
      'archivedAt', ${at('archived_at')}, 'createdAt', ${at('created_at')}, 'updatedAt', ${at('updated_at')},
      'queue', json_build_object('id', q.id, 'prefix', q.prefix, 'emoji', q.emoji, 'workspaceId', q.workspace_id,
        'name', q.name, 'workspace', (select json_build_object('slug', w.slug) from workspace w where w.id = q.workspace_id)),
      'status', (
        select json_build_object(
          'id', s.id, 'label', s.label, 'order', s.position, 'system', s.system,
          'requestTypes', ${statusRequestTypes('s')},
          'statusGroup', json_build_object('id', g.id, 'label', g.label, 'workspaceId', g.workspace_id),
          'statusGroupId', g.id,
          'createdAt', ${jsonInstant('s.created_at')}, 'updatedAt', ${jsonInstant('s.updated_at')})
        from status s join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
        where s.workspace_id = t.workspace_id and s.id = t.status_id),
      'requestType', (
        select json_build_object('id', r.id, 'name', r.name, 'isPrivate', r.is_private)
        from request_type r where r.workspace_id = t.workspace_id and r.id = t.request_type_id),
      'approvers', ${relations.approvers},
      'chatThreads', ${relations.chatThreads},
      'csat', ${relations.csat},
      'parent', (
        select json_build_object('number', p.number, 'queue', json_build_object('prefix', pq.prefix))
        from ticket p join queue pq on pq.workspace_id = p.workspace_id and pq.id = p.queue_id
        where p.workspace_id = t.workspace_id and p.id = t.parent_id),
      'children', ${relations.children},
      'tags', ${relations.tags},
      'followers', ${relations.followers},
      'customFields', t.custom_fields,
      'metadata', json_build_object('approval', t.approval, 'claim', case when t.claim_until > ${now} then
        json_build_object('userId', t.claim_person_id, 'until', ${at('claim_until')}) end))
    from queue q where q.workspace_id = t.workspace_id and q.id = t.queue_id)`;
}

const ticketsById = compiledOnce((db: ServiceDb) =>
  db
    .selectFrom('ticket as t')
    .select([
      't.id',
      ticketJson(new Date(0)).as('ticket'),
      sql<string[]>`array(
        select x.id from csat x where x.workspace_id = t.workspace_id and x.ticket_id = t.id order by x.id)`.as(
        'ratingIds',
      ),
    ])
    .where(sql<boolean>`t.workspace_id = any(${[]}::text[]) and t.id = any(${[]}::text[])`),
);

/** Tickets by id, in the order of `ids`. */
export async function ticketRows(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
  now: Date,
): Promise<TicketRow[]> {
  if (ids.length === 0) return [];
  return inOrder(ids, await ticketsById(db, now, workspaceIds, ids));
}

/** Returns one ticket; 404 if there is none. */
export async function ticketDetail(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
  now: Date,
): Promise<TicketDetail> {
  return found((await ticketRows(db, [workspaceId], [id], now))[0]).ticket;
}

/** Returns a ticket as in lists. */
export function toTicket({ ticket }: TicketRow): Ticket {
  const { followers: _followers, customFields: _fields, metadata: _metadata, ...listed } = ticket;
  return listed;
}

/** Returns a ticket with its relations reduced to ids. */
export function toThin(row: TicketRow): ThinTicket {
  const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);
  const ticket = toTicket(row);
  return {
    ...ticket,
    queue: ticket.queueId,
    status: ticket.statusId,
    requestType: ticket.requestTypeId,
    approvers: ids(ticket.approvers),
    chatThreads: ids(ticket.chatThreads),
    csat: row.ratingIds,
    parent: ticket.parentId,
    children: ids(ticket.children),
    tags: ids(ticket.tags),
  };
}

/** Returns a human reference (IT-42). */
export function codeOf(prefix: string, number: number): string {
  return `${prefix}-${number}`;
}

/** Returns who is replying to the ticket at the moment (docs/api.md, Tickets). */
export function claimOf(
  { claim_person_id: userId, claim_until: until }: Pick<StoredTicket, 'claim_person_id' | 'claim_until'>,
  now: Date,
): TicketDetail['metadata']['claim'] {
  return userId !== null && until !== null && until > now ? { userId, until: iso(until) } : null;
}
