import { type RawBuilder, sql } from 'kysely';

import type { AnalyticsSource, DateField, FilterField, Measure, MetricGroup } from '../../contract/index.ts';

// Every name in a query is a key of the tables below, checked by the API's enumerations: no request text becomes part
// of a statement.

const onTicket = {
  statusId: sql<string>`t.status_id`,
  priority: sql<string>`t.priority`,
  queueId: sql<string>`t.queue_id`,
  requestTypeId: sql<string>`t.request_type_id`,
  assigneeId: sql<string>`t.assignee_id`,
  requesterId: sql<string>`t.requester_id`,
} as const;

const ticketDates = {
  createdAt: sql<Date>`t.created_at`,
  updatedAt: sql<Date>`t.updated_at`,
  publishedAt: sql<Date>`t.published_at`,
  assignedAt: sql<Date>`t.assigned_at`,
  dueAt: sql<Date>`t.due_at`,
  snoozeUntil: sql<Date>`t.snooze_until`,
  approvedAt: sql<Date>`t.approved_at`,
  declinedAt: sql<Date>`t.declined_at`,
  startAt: sql<Date>`t.start_at`,
  respondedAt: sql<Date>`t.responded_at`,
  resolvedAt: sql<Date>`t.resolved_at`,
  closedAt: sql<Date>`t.closed_at`,
  archivedAt: sql<Date>`t.archived_at`,
} as const;

const messageDates: Partial<Record<DateField, RawBuilder<Date>>> = {
  createdAt: sql<Date>`m.created_at`,
  updatedAt: sql<Date>`m.updated_at`,
  deletedAt: sql<Date>`m.deleted_at`,
};

/** A message without its own date has its ticket's; tickets are never deleted. */
export function dateColumn(source: AnalyticsSource, field: DateField): RawBuilder<Date> {
  const own = source === 'TicketMessage' ? messageDates[field] : undefined;
  return own ?? (field === 'deletedAt' ? sql<Date>`null::timestamptz` : ticketDates[field]);
}

export type TextField = keyof typeof onTicket | 'source';

export function textColumn(source: AnalyticsSource, field: TextField): RawBuilder<string> {
  if (field === 'source') return source === 'TicketMessage' ? sql`m.source` : sql`t.source`;
  return onTicket[field];
}

export function isText(field: FilterField): field is TextField {
  return field === 'source' || field in onTicket;
}

/** Returns the group of a record, as text; rows `g` and `c` are joined where needed. */
export function groupColumn(
  source: AnalyticsSource,
  field: Exclude<MetricGroup, 'createdAt'>,
): RawBuilder<string | null> {
  if (field === 'tags') return sql`g.tag_id`;
  if (field === 'csatScore') return sql`c.score::text`;
  return textColumn(source, field);
}

const secondsUntil = (column: RawBuilder<Date>) =>
  sql<number>`extract(epoch from ${column} - t.created_at)::float8`;

/** Aggregated values. Times are seconds since the ticket's creation; null if the event has not happened. */
export const MEASURES: Record<Measure, RawBuilder<number | null>> = {
  id: sql`1::float8`,
  responseTime: secondsUntil(ticketDates.respondedAt),
  timeToResolution: secondsUntil(ticketDates.resolvedAt),
  timeToClose: secondsUntil(ticketDates.closedAt),
  timeToAssignment: secondsUntil(ticketDates.assignedAt),
  csat: sql`c.score::float8`,
};
