import { type RawBuilder, sql } from 'kysely';

import { LIMITS, type ThinTicket, type Ticket, type TicketDetail } from '../../contract/index.ts';
import { compiledOnce } from '../../platform/database/compiled.ts';
import { isOpenTo, NOBODY } from '../access/viewer.ts';
import { filesOfTicket } from '../file-records/records.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, isoOrNull, jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { statusRequestTypes } from '../statuses/records.ts';
import { codeOf } from '../ticket-code.ts';
import type { StoredTicket, TicketKey } from './find.ts';
import { lastReplyJson } from './last-reply.ts';

/** A ticket's own fields, and the columns that they are in. */
const FIELDS = {
  id: 'id',
  number: 'number',
  shortId: 'short_id',
  title: 'title',
  description: 'description',
  priority: 'priority',
  published: 'published',
  private: 'private',
  source: 'source',
  queueId: 'queue_id',
  requesterId: 'requester_id',
  authorId: 'author_id',
  assigneeId: 'assignee_id',
  statusId: 'status_id',
  requestTypeId: 'request_type_id',
  parentId: 'parent_id',
  disableAIResponse: 'disable_ai_response',
  assignedAIAgent: 'assigned_ai_agent',
  chatChannelId: 'chat_channel_id',
  mergedIntoId: 'merged_into_id',
} as const satisfies Partial<Record<keyof Ticket, keyof StoredTicket>>;
const INSTANTS = {
  publishedAt: 'published_at',
  assignedAt: 'assigned_at',
  dueAt: 'due_at',
  snoozeUntil: 'snooze_until',
  approvedAt: 'approved_at',
  declinedAt: 'declined_at',
  startAt: 'start_at',
  respondedAt: 'responded_at',
  resolvedAt: 'resolved_at',
  closedAt: 'closed_at',
  archivedAt: 'archived_at',
  firstReplyDueAt: 'first_reply_due_at',
  resolutionDueAt: 'resolution_due_at',
  slaPausedAt: 'sla_paused_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const satisfies Partial<Record<keyof Ticket, keyof StoredTicket>>;

/** The records that reference a ticket, and those that it references. */
type Relations = Omit<Ticket, keyof typeof FIELDS | keyof typeof INSTANTS | 'code'> &
  Pick<TicketDetail, 'followers' | 'links' | 'files'>;
/** A ticket with all its relations. */
export type TicketRow = StoredTicket &
  Omit<Relations, 'isUnread'> & { ratingIds: string[]; isUnread: boolean | null };
type ListedColumn = (typeof FIELDS)[keyof typeof FIELDS] | (typeof INSTANTS)[keyof typeof INSTANTS];
/** A ticket in a list: without its files and its custom fields, which may be larger than all other fields. */
export type ListedTicketRow = Pick<StoredTicket, ListedColumn> &
  Omit<TicketRow, keyof StoredTicket | 'followers' | 'files'>;

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

/** The beginning of a child's description: of many children, whole ones would make their parent's record too large. */
const { childDescription } = LIMITS;
const beginning = sql`case when length(x.description) > ${sql.lit(childDescription)}
  then left(x.description, ${sql.lit(childDescription)}) || '…' else x.description end`;

/** Characters of a message in its ticket's record. */
const EXCERPT = 200;

/** Selects the records that reference a ticket `t`; those of a new ticket are not stored yet. */
const REFERRING = {
  approvers: people('ticket_approver'),
  followers: people('ticket_follower'),
  chatThreads: sql`(select coalesce(json_agg(${threadJson} order by x.id), '[]')
    from chat_thread x where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.replaced_at is null)`,
  csat: sql`(select coalesce(json_agg(json_build_object('score', x.score, 'feedback', x.feedback) order by x.id), '[]')
    from csat x where x.workspace_id = t.workspace_id and x.ticket_id = t.id)`,
  children: sql`(
    select coalesce(json_agg(json_build_object(
      'id', x.id, 'title', x.title, 'description', ${beginning}, 'number', x.number, 'statusId', x.status_id,
      'legacyStatus', xg.kind) order by x.id), '[]')
    from ticket x
    join status xs on xs.workspace_id = x.workspace_id and xs.id = x.status_id
    join status_group xg on xg.workspace_id = xs.workspace_id and xg.id = xs.status_group_id
    where x.workspace_id = t.workspace_id and x.parent_id = t.id)`,
  tags: sql`(select coalesce(json_agg(${tagJson} order by x.name), '[]')
    from ticket_tag tt join tag x on x.workspace_id = tt.workspace_id and x.id = tt.tag_id
    where tt.workspace_id = t.workspace_id and tt.ticket_id = t.id)`,
  files: filesOfTicket,
  lastReply: sql`(
    select ${lastReplyJson(EXCERPT)}
    from ticket_message m
    where m.workspace_id = t.workspace_id and m.ticket_id = t.id and not m.private and m.deleted_at is null
    order by m.created_at desc, m.id desc
    limit 1)`,
};

/** The links of a ticket `t`, with the other tickets. */
const links = sql`(
    select coalesce(json_agg(json_build_object('id', l.id, 'kind', l.kind, 'direction', l.direction,
      'ticket', json_build_object('id', x.id, 'number', x.number, 'code', xq.prefix || '-' || x.number,
        'title', x.title, 'statusId', x.status_id)) order by l.id), '[]')
    from (
      select id, kind, 'out' as direction, other_id as of from ticket_link
      where workspace_id = t.workspace_id and ticket_id = t.id
      union all select id, kind, 'in', ticket_id from ticket_link
      where workspace_id = t.workspace_id and other_id = t.id) l
    join ticket x on x.workspace_id = t.workspace_id and x.id = l.of
    join queue xq on xq.workspace_id = x.workspace_id and xq.id = x.queue_id)`;

/** Selects the records that a ticket `t` references. Planning a join of eight tables took longer (4 ms) than subselects. */
const REFERRED = {
  queue: sql`(
    select json_build_object('id', q.id, 'prefix', q.prefix, 'emoji', q.emoji, 'workspaceId', q.workspace_id,
      'name', q.name, 'workspace', json_build_object('slug', w.slug))
    from queue q join workspace w on w.id = q.workspace_id
    where q.workspace_id = t.workspace_id and q.id = t.queue_id)`,
  status: sql`(
    select json_build_object(
      'id', s.id, 'label', s.label, 'order', s.position, 'system', s.system,
      'requestTypes', ${statusRequestTypes('s')},
      'statusGroup', json_build_object('id', g.id, 'label', g.label, 'workspaceId', g.workspace_id),
      'statusGroupId', g.id,
      'createdAt', ${jsonInstant('s.created_at')}, 'updatedAt', ${jsonInstant('s.updated_at')})
    from status s join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
    where s.workspace_id = t.workspace_id and s.id = t.status_id)`,
  requestType: sql`(
    select json_build_object('id', r.id, 'name', r.name, 'isPrivate', r.is_private)
    from request_type r where r.workspace_id = t.workspace_id and r.id = t.request_type_id)`,
  // Never a promise of a person who is away then.
  expectedReplyAt: sql`(
    select ${jsonInstant('t.expected_reply_at')}
    where not exists (select from absence a where a.workspace_id = t.workspace_id and a.person_id = t.assignee_id
      and a.from_at <= t.expected_reply_at and a.until_at > t.expected_reply_at))`,
  parent: sql`(
    select json_build_object('number', p.number, 'queue', json_build_object('prefix', q.prefix))
    from ticket p join queue q on q.workspace_id = p.workspace_id and q.id = p.queue_id
    where p.workspace_id = t.workspace_id and p.id = t.parent_id)`,
};

/** The user whose unread tickets are marked, and the queues whose internal notes they read; null for all. */
export interface Reader {
  personId: string | null;
  queueIds: readonly string[] | null;
  readsOwnNotes: boolean;
  /** Older messages do not count as unread. */
  since: Date;
}
const NO_READER: Reader = { personId: null, queueIds: null, readsOwnNotes: false, since: new Date(0) };

/**
 * Returns whether another person wrote or changed a ticket `t` since the reader last saw it, or if never, since they
 * first signed in; null without a reader. All reads are by key, for the rows of one page.
 */
function isUnreadBy({ personId, queueIds, readsOwnNotes, since }: Reader): RawBuilder<boolean | null> {
  return sql<boolean | null>`(
    select (t.updated_at > v.seen_at and t.updated_by is distinct from v.id) or exists (
      select from ticket_message m
      where m.workspace_id = t.workspace_id and m.ticket_id = t.id and m.updated_at > v.seen_at
        and m.author_id is distinct from v.id and m.deleted_at is null
        and (not m.private or ((v.all_notes or t.queue_id = any(v.queue_ids)) and ${isOpenTo({ ...NOBODY, personId: sql`v.id` })})
          or (v.own_notes and t.assignee_id = v.id)))
    from (
      select p.id, greatest(coalesce(r.seen_at, p.signed_in_at), w.since) as seen_at, w.queue_ids is null as all_notes, w.queue_ids,
        w.own_notes
      from (select ${personId}::text as id, ${queueIds}::text[] as queue_ids, ${readsOwnNotes}::boolean as own_notes,
        ${since}::timestamptz as since) w
      join person p on p.workspace_id = t.workspace_id and p.id = w.id
      left join ticket_read r on r.workspace_id = p.workspace_id and r.person_id = p.id and r.ticket_id = t.id
    ) v)`;
}

const { followers, files, ...LISTED } = REFERRING;

const ratingIds = sql`array(
  select x.id from csat x where x.workspace_id = t.workspace_id and x.ticket_id = t.id order by x.id)`;

/** Returns what a statement selects of a ticket `t` besides its columns. */
function relationsFrom(relations: Record<string, RawBuilder<unknown>>) {
  return [
    ...Object.entries({ ...REFERRED, ...relations, links, ratingIds }).map(([field, value]) =>
      value.as(field),
    ),
    isUnreadBy(NO_READER).as('isUnread'),
  ];
}

const isOneOfIds = sql<boolean>`t.workspace_id = any(${[]}::text[]) and t.id = any(${[]}::text[])`;
const hasId = sql<boolean>`t.workspace_id = ${''}::text and t.id = ${''}::text`;

/** A statement of its own: Postgres plans it once a connection, but one for a list anew for each call. */
const ticketById = compiledOnce<Tables, TicketRow>((db) =>
  db
    .selectFrom('ticket as t')
    .selectAll('t')
    .select(relationsFrom({ ...LISTED, followers, files }))
    .where(hasId),
);

const ticketsById = compiledOnce<Tables, TicketRow>((db) =>
  db
    .selectFrom('ticket as t')
    .selectAll('t')
    .select(relationsFrom({ ...LISTED, followers, files }))
    .where(isOneOfIds),
);

const listedColumns = [...Object.values(FIELDS), ...Object.values(INSTANTS)];
const listedTicketsById = compiledOnce<Tables, ListedTicketRow>((db) =>
  db
    .selectFrom('ticket as t')
    .select(listedColumns.map((column) => `t.${column}` as const))
    .select(relationsFrom(LISTED))
    .where(isOneOfIds),
);

/** Tickets by id, in the order of `ids`. */
export async function ticketRows(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
  { personId, queueIds, readsOwnNotes, since }: Reader = NO_READER,
): Promise<TicketRow[]> {
  const [workspaceId, id] = [workspaceIds[0], ids[0]];
  if (workspaceId === undefined || id === undefined) return [];
  if (workspaceIds.length === 1 && ids.length === 1)
    return ticketById(db, personId, queueIds, readsOwnNotes, since, workspaceId, id);
  return inOrder(ids, await ticketsById(db, personId, queueIds, readsOwnNotes, since, workspaceIds, ids));
}

/** Reads tickets for a list, in the order of `ids`. The number of statements does not depend on that of tickets. */
export async function listedTicketRows(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
  { personId, queueIds, readsOwnNotes, since }: Reader = NO_READER,
): Promise<ListedTicketRow[]> {
  if (ids.length === 0) return [];
  return inOrder(
    ids,
    await listedTicketsById(db, personId, queueIds, readsOwnNotes, since, workspaceIds, ids),
  );
}

/** Returns one ticket; 404 if there is none. */
export async function ticketDetail(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
  now: Date,
): Promise<TicketDetail> {
  return toDetail(found((await ticketRows(db, [workspaceId], [id]))[0]), now);
}

function ownFields(row: ListedTicketRow) {
  const fields = Object.entries(FIELDS).map(([field, column]) => [field, row[column]]);
  const instants = Object.entries(INSTANTS).map(([field, column]) => [field, isoOrNull(row[column])]);
  const code = codeOf(row.queue?.prefix ?? '', row.number);
  const unread = row.isUnread === null ? {} : { isUnread: row.isUnread };
  return { ...Object.fromEntries([...fields, ...instants]), code, ...unread } as Omit<
    Ticket,
    keyof Relations
  >;
}

/** Returns a ticket as in lists. */
export function toTicket(row: ListedTicketRow): Ticket {
  const { queue, status, requestType, approvers, chatThreads, csat, parent, children, tags } = row;
  const { expectedReplyAt, lastReply } = row;
  return {
    ...ownFields(row),
    expectedReplyAt,
    lastReply,
    queue,
    status,
    requestType,
    approvers,
    chatThreads,
    csat,
    parent,
    children,
    tags,
  };
}

/** `now` decides whether the claim still holds. */
export function toDetail(row: TicketRow, now: Date): TicketDetail {
  const metadata = { approval: row.approval, claim: claimOf(row, now) };
  const { followers, links, files, custom_fields: customFields, tell_requester: tells } = row;
  const told = tells && { tellRequester: true as const };
  return { ...toTicket(row), followers, links, ...(files && { files }), customFields, ...told, metadata };
}

/** Returns a ticket with its relations reduced to ids. */
export function toThin(row: ListedTicketRow): ThinTicket {
  const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);
  return {
    ...ownFields(row),
    expectedReplyAt: row.expectedReplyAt,
    lastReply: row.lastReply,
    queue: row.queue_id,
    status: row.status_id,
    requestType: row.request_type_id,
    approvers: ids(row.approvers),
    chatThreads: ids(row.chatThreads),
    csat: row.ratingIds,
    parent: row.parent_id,
    children: ids(row.children),
    tags: ids(row.tags),
  };
}

/** Returns who is replying to the ticket at the moment (docs/api.md, Tickets). */
export function claimOf(
  { claim_person_id: userId, claim_until: until }: Pick<StoredTicket, 'claim_person_id' | 'claim_until'>,
  now: Date,
): TicketDetail['metadata']['claim'] {
  return userId !== null && until !== null && until > now ? { userId, until: iso(until) } : null;
}
