import { type RawBuilder, sql } from 'kysely';

import { LIMITS, type ParsedQuery, ticketDue, type ticketFilters, valuesOf } from '../../contract/index.ts';
import { PLANNED_FOR_ITS_VALUES } from '../../platform/database/prepared.ts';
import { isVisibleTo, readsNotes, type Viewer, viewersOf } from '../access/viewer.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { contains, idsInSet, isOfEmail, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { holdsAll } from '../search/queries.ts';
import { rankTickets } from '../search/find.ts';
import { type Term, termsOf } from '../search/words.ts';
import {
  numberKey,
  optionalTimeKey,
  textBytesOf,
  bytesOfRows,
  type Page,
  selectPage,
  type SortKey,
  textKey,
  timeKey,
} from '../lists/page.ts';
import { readsTeamMatters } from './shown.ts';

/** When the first of a ticket's due times comes; null if it has none. The index ticket_due has the same expression. */
const earliestDue = sql<Date | null>`least(t.first_reply_due_at, t.resolution_due_at, t.due_at)`;

/** The same as a requester knows it: targets are the team's own. */
const knownDue = (caller: Caller) => (readsTeamMatters(caller) ? earliestDue : sql<Date | null>`t.due_at`);

/** Until when a ticket is snoozed, as a requester knows it: never. */
const knownSnooze = (caller: Caller) =>
  readsTeamMatters(caller) ? sql<Date | null>`t.snooze_until` : sql<Date | null>`null::timestamptz`;

/** Most urgent first in ascending order. */
const priorityKey: SortKey = {
  kind: 'number',
  expression: sql`array_position(array['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'], t.priority)`,
};

/** About how many bytes a ticket takes, with what its record shows of what refers to it. */
const ticketBytes = sql<number>`(
  3000 + ${textBytesOf('t.title', 't.description')}
  + coalesce((select sum(1000 + least(coalesce(octet_length(x.description), 0), ${4 * LIMITS.childDescription})) from ticket x
    where x.workspace_id = t.workspace_id and x.parent_id = t.id), 0)
  + coalesce((select sum(coalesce(octet_length(x.feedback), 0)) from csat x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id), 0)
  + ${bytesOfRows(sql`chat_thread x where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.replaced_at is null`)}
  + ${bytesOfRows(sql`ticket_tag y join tag x on x.workspace_id = y.workspace_id and x.id = y.tag_id
    where y.workspace_id = t.workspace_id and y.ticket_id = t.id`)})`;

const ticketOrder = (caller: Caller) => ({
  keys: {
    createdAt: timeKey('t.created_at'),
    updatedAt: timeKey('t.updated_at'),
    number: numberKey('t.number'),
    title: textKey('t.title'),
    priority: priorityKey,
    dueAt: optionalTimeKey('t.due_at'),
    due: optionalTimeKey(knownDue(caller)),
    statusId: textKey('t.status_id'),
    queueId: textKey('t.queue_id'),
    assigneeId: textKey('t.assignee_id'),
    requesterId: textKey('t.requester_id'),
    requestTypeId: textKey('t.request_type_id'),
    source: textKey('t.source'),
  },
  sortBy: 'createdAt',
  sortDirection: 'desc' as const,
  id: 't.id',
  bytes: ticketBytes,
});

type Query = ParsedQuery<'listTickets'>;

/** Filters by the value of a column. */
const COLUMNS = [
  ['queueId', 't.queue_id'],
  ['statusId', 't.status_id'],
  ['assigneeId', 't.assignee_id'],
  ['requesterId', 't.requester_id'],
  ['authorId', 't.author_id'],
  ['priority', 't.priority'],
  ['requestTypeId', 't.request_type_id'],
  ['parentId', 't.parent_id'],
] as const;

/** Filters by what tickets refer to in a table of its own. */
const REFERENCES = [
  ['approverId', ['ticket_approver', 'x.person_id']],
  ['followerId', ['ticket_follower', 'x.person_id']],
  ['tagId', ['ticket_tag', 'x.tag_id']],
] as const;

const tickets = (db: ServiceDb) => db.selectFrom('ticket as t');
type Tickets = ReturnType<typeof tickets>;

const refersTo = (table: string, column: string, ids: readonly string[]) =>
  sql<boolean>`exists (select 1 from ${sql.table(table)} x
    where x.workspace_id = t.workspace_id and x.ticket_id = t.id and ${isOneOf(column, ids)})`;

/** Returns one page of the tickets that a caller may see and the query matches. */
export async function ticketPage(db: ServiceDb, caller: Caller, query: Query, now: Date): Promise<Page> {
  const { rows, terms, viewers, workspaceIds } = await listed(db, caller, query, now);
  const order = ticketOrder(caller);
  if (query.sortBy !== 'relevance') return selectPage(rows, order, { ...query, sortBy: query.sortBy });
  // The newest matches are ranked; older ones follow, newest first (docs/api.md, Search).
  const from = query.skip ?? query.offset ?? 0;
  const found = await selectPage(rows, order, { limit: Math.max(RANKED, from + query.limit) });
  const ids = found.rows.map(({ id }) => id);
  const ranked = await rankTickets(db, query.search ?? '', terms, ids.slice(0, RANKED), {
    workspaceIds,
    viewer: viewers[0],
  });
  const inRank = [...ranked, ...ids.slice(RANKED)];
  return {
    rows: inOrder(inRank.slice(from, from + query.limit), found.rows),
    totalCount: found.totalCount,
    nextCursor: null,
  };
}

/**
 * Returns the number of tickets that the list of a query has, and whether it has more than `most`: those are not
 * counted, so that the largest list costs no more than a long one.
 */
export async function countTickets(
  db: ServiceDb,
  caller: Caller,
  query: Query,
  { now, most }: { now: Date; most: number },
): Promise<{ count: number; isCapped: boolean }> {
  const { rows } = await listed(db, caller, query, now);
  const some = rows
    .select('t.id')
    .limit(most + 1)
    .as('some');
  const { count } = await db
    .selectFrom(some)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return { count: Math.min(count, most), isCapped: count > most };
}

/** The tickets of a list, before they are paged or counted. */
async function listed(db: ServiceDb, caller: Caller, query: Query, now: Date) {
  const workspaceIds = listedWorkspaces(caller, query.workspaceId);
  const open = needsOpen(query) ? await openStatuses(db, workspaceIds) : [];
  const terms = query.search ? await termsOf(db, query.search, workspaceIds) : [];
  const viewers = viewersOf(caller, query);
  const rows = ticketsMatching(db, workspaceIds, query, { caller, viewers, open, terms, now });
  return { rows, terms, viewers, workspaceIds };
}

/** Number of tickets ranked by `sortBy=relevance`; so many matches say that the words are common. */
const RANKED = 300;

/** Returns the condition of a search's filters on a ticket `t`, the same as of lists; undefined without filters. */
export async function searchFilter(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[],
  filters: Filters,
  now: Date,
): Promise<RawBuilder<boolean> | undefined> {
  const open = needsOpen(filters) ? await openStatuses(db, workspaceIds) : [];
  const conditions = conditionsOf(filters, { caller, open, now });
  return conditions.length === 0 ? undefined : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

type Filters = Pick<Query, keyof typeof ticketFilters>;

const needsOpen = ({ openFilter, due }: Filters): boolean => Boolean(openFilter || due);

/** The filters that look at a ticket alone. */
function conditionsOf(
  filters: Filters,
  { caller, open, now }: Pick<Matching, 'caller' | 'open' | 'now'>,
): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  for (const [filter, column] of COLUMNS) {
    const values = filters[filter];
    if (values) conditions.push(isOneOf(column, valuesOf(values)));
  }
  for (const [filter, [table, column]] of REFERENCES) {
    const ids = filters[filter];
    if (ids) conditions.push(refersTo(table, column, valuesOf(ids)));
  }
  if (typeof filters.private === 'boolean') conditions.push(sql`t.private = ${filters.private}`);
  if (filters.unassignedFilter) conditions.push(sql`t.assignee_id is null`);
  // The best plan depends on how few are open; otherwise all of a million tickets would be read.
  if (needsOpen(filters))
    conditions.push(sql`${isOneOf('t.status_id', open)} ${sql.raw(PLANNED_FOR_ITS_VALUES)}`);
  const snoozed = filters.snoozed ?? filters.snoozedFilter;
  const until = knownSnooze(caller);
  if (snoozed === true) conditions.push(sql`${until} > ${now}`);
  if (snoozed === false) conditions.push(sql`(${until} is null or ${until} <= ${now})`);
  if (filters.undecidedFilter)
    conditions.push(sql`(t.approved_at is null and t.declined_at is null
      and exists (select from ticket_approver x where x.workspace_id = t.workspace_id and x.ticket_id = t.id))`);
  if (filters.createdFrom) conditions.push(sql`t.created_at >= ${new Date(filters.createdFrom)}`);
  if (filters.createdTo) conditions.push(sql`t.created_at <= ${new Date(filters.createdTo)}`);
  if (filters.updatedFrom) conditions.push(sql`t.updated_at >= ${new Date(filters.updatedFrom)}`);
  if (filters.updatedTo) conditions.push(sql`t.updated_at <= ${new Date(filters.updatedTo)}`);
  if (filters.due) {
    const dues = valuesOf(filters.due).map((due) => ticketDue.parse(due));
    const times = dues.map((due) => isDue(due, knownDue(caller), now, filters.timeZone ?? 'UTC'));
    conditions.push(sql`(${sql.join(times, sql` or `)})`);
  }
  return conditions;
}

async function openStatuses(db: ServiceDb, workspaceIds: readonly string[]): Promise<string[]> {
  const statuses = await db
    .selectFrom('status as s')
    .innerJoin('status_group as g', (join) =>
      join.onRef('g.workspace_id', '=', 's.workspace_id').onRef('g.id', '=', 's.status_group_id'),
    )
    .select('s.id')
    .where(isOneOf('s.workspace_id', workspaceIds))
    .where('g.kind', 'in', ['OPEN', 'IN_PROGRESS', 'PENDING'])
    .orderBy('s.id')
    .execute();
  return statuses.map(({ id }) => id);
}

interface Matching {
  caller: Caller;
  viewers: readonly Viewer[];
  open: readonly string[];
  /** The words of the search. */
  terms: readonly Term[];
  now: Date;
}

/** Every filter is part of the query, so pages and totals reveal nothing about other tickets. */
function ticketsMatching(
  db: ServiceDb,
  workspaceIds: readonly string[],
  query: Query,
  { caller, viewers, open, terms, now }: Matching,
): Tickets {
  let rows = tickets(db).where(isOneOf('t.workspace_id', workspaceIds));
  for (const condition of conditionsOf(query, { caller, open, now })) rows = rows.where(condition);
  const ids = idsInSet(query.set);
  if (ids) rows = rows.where(isOneOf('t.id', ids));
  if (!query.includeArchived) rows = rows.where('t.archived_at', 'is', null);
  if (!query.includeUnpublished) rows = rows.where('t.published', '=', true);
  for (const viewer of viewers) rows = rows.where(isVisibleTo(viewer));
  if (query.email) rows = rows.where(isOfEmail(caller, 't.requester_id', query.email));
  if (query.search)
    rows = rows.where(terms.length === 0 ? contains(['t.title'], query.search) : holds(terms, viewers));
  return inChat(rows, workspaceIds, query);
}

const DAYS_AHEAD = { today: 1, week: 7 };

/** The days end in the time zone. A ticket that is overdue is in no other list. */
function isDue(
  due: keyof typeof DAYS_AHEAD | 'overdue',
  at: RawBuilder<Date | null>,
  now: Date,
  timeZone: string,
): RawBuilder<boolean> {
  if (due === 'overdue') return sql<boolean>`${at} <= ${now}`;
  const today = sql`date_trunc('day', ${now}::timestamptz at time zone ${timeZone}::text)`;
  const end = sql`(${today} + ${DAYS_AHEAD[due]}::int * interval '1 day') at time zone ${timeZone}::text`;
  return sql<boolean>`(${at} > ${now} and ${at} < ${end})`;
}

/** The words occur in a ticket's texts, or in its internal notes if the viewers may read them. */
function holds(terms: readonly Term[], viewers: readonly Viewer[]): RawBuilder<boolean> {
  const ticket = sql`(t.workspace_id, t.id)`;
  const readable = viewers.map(readsNotes);
  if (readable.length === 0) return holdsAll(ticket, terms, sql`true`);
  const openly = holdsAll(ticket, terms, sql`w.field <> 'note'`);
  if (readable.includes(undefined)) return openly;
  return sql<boolean>`(${openly} or (${sql.join(readable, sql` and `)} and ${holdsAll(ticket, terms, sql`true`)}))`;
}

/** Filters by a ticket's channel, or by one of its messages in chat: a thread's parent message or any copy of a reply. */
function inChat(rows: Tickets, workspaceIds: readonly string[], query: Query): Tickets {
  const { chatChannelId, chatMessageTs } = query;
  const isHere = isOneOf('x.workspace_id', workspaceIds);
  if (!chatMessageTs) {
    if (!chatChannelId) return rows;
    return rows.where(sql<boolean>`(t.chat_channel_id = ${chatChannelId} or exists (select 1 from chat_thread x
      where x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.channel_id = ${chatChannelId}))`);
  }
  const isIt = (column: string) =>
    sql`${sql.ref(column)} = ${chatMessageTs} ${chatChannelId ? sql`and x.channel_id = ${chatChannelId}` : sql``}`;
  // One index lookup per place that may contain it; a condition per ticket would read all tickets.
  return rows.where(sql<boolean>`(t.workspace_id, t.id) in (
    select x.workspace_id, x.ticket_id from chat_thread x where ${isHere} and ${isIt('x.message_ts')}
    union all
    select x.workspace_id, x.ticket_id from chat_thread x where ${isHere} and ${isIt('x.mirror_ts')}
    union all
    select m.workspace_id, m.ticket_id from chat_message x
      join ticket_message m on m.workspace_id = x.workspace_id and m.id = x.ticket_message_id
      where ${isHere} and ${isIt('x.ts')})`);
}
