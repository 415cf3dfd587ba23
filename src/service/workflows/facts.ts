import type { TicketDetail } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import type { TicketKey } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';
import { groupOf, type StatusKind } from '../tickets/statuses.ts';

const OWN = [
  'id',
  'number',
  'code',
  'title',
  'description',
  'priority',
  'private',
  'source',
  'queueId',
  'requesterId',
  'authorId',
  'assigneeId',
  'statusId',
  'requestTypeId',
  'parentId',
  'dueAt',
  'snoozeUntil',
  'approvedAt',
  'declinedAt',
  'respondedAt',
  'resolvedAt',
  'closedAt',
  'archivedAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof TicketDetail)[];

/** The fields of a ticket that criteria and texts may name, besides `customFields.<key>`. */
export const TICKET_FIELDS: ReadonlySet<string> = new Set([
  ...OWN,
  'status',
  'statusChangedAt',
  'statusGroup',
  'queue',
  'requestType',
  'tags',
  'tagNames',
  'csatScore',
  'decision',
]);

/** Returns a ticket as criteria and texts see it. `statusGroup` is the meaning of its status, such as PENDING. */
export function factsOf(ticket: TicketDetail, kind: StatusKind): Record<string, unknown> {
  return {
    ...Object.fromEntries(OWN.map((field) => [field, ticket[field]])),
    status: ticket.status.label,
    statusGroup: kind,
    queue: ticket.queue?.name ?? null,
    requestType: ticket.requestType?.name ?? null,
    tags: ticket.tags.map(({ id }) => id),
    tagNames: ticket.tags.map(({ name }) => name),
    csatScore: ticket.csat.map(({ score }) => score),
    decision: ticket.metadata.approval?.decision ?? null,
    ...Object.fromEntries(
      Object.entries(ticket.customFields).map(([key, value]) => [`customFields.${key}`, value]),
    ),
  };
}

/** Reads what criteria and texts see of a ticket now; 404 if it is gone. */
export async function readFacts(
  db: ServiceDb,
  key: TicketKey,
  now: Date,
): Promise<{ ticket: TicketDetail; facts: Record<string, unknown> }> {
  const ticket = await ticketDetail(db, key, now);
  const { kind } = await groupOf(db, key.workspaceId, ticket.statusId);
  const statusChangedAt = (await lastStatusChange(db, key)) ?? ticket.createdAt;
  return { ticket, facts: { ...factsOf(ticket, kind), statusChangedAt } };
}

/** Returns when a ticket got the status that it has; undefined if it has had no other. */
async function lastStatusChange(db: ServiceDb, { workspaceId, id }: TicketKey): Promise<string | undefined> {
  const last = await db
    .selectFrom('ticket_activity')
    .select('at')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .where('field', '=', 'statusId')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last && iso(last.at);
}
