import { isDeepStrictEqual } from 'node:util';

import type { TicketDetail } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import type { NewEvent, Outbox } from '../outbox.ts';

/** Fields of change events: the ticket's own, and the relations that a write may name. */
const ANNOUNCED_FIELDS: readonly (keyof TicketDetail)[] = [
  'number',
  'title',
  'description',
  'priority',
  'published',
  'private',
  'source',
  'queueId',
  'requesterId',
  'authorId',
  'assigneeId',
  'statusId',
  'requestTypeId',
  'parentId',
  'disableAIResponse',
  'assignedAIAgent',
  'chatChannelId',
  'mergedIntoId',
  'publishedAt',
  'assignedAt',
  'dueAt',
  'snoozeUntil',
  'approvedAt',
  'declinedAt',
  'startAt',
  'respondedAt',
  'resolvedAt',
  'closedAt',
  'archivedAt',
  'approvers',
  'followers',
  'links',
  'tags',
  'files',
  'csat',
  'customFields',
];

/** Before and after, per changed field. */
export function changesBetween(
  before: TicketDetail,
  after: TicketDetail,
): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {};
  for (const field of ANNOUNCED_FIELDS)
    if (!isDeepStrictEqual(before[field], after[field])) changes[field] = [before[field], after[field]];
  return changes;
}

/** Adds the event of a write to a ticket: created if there was none before, archived, or updated. */
export function addTicketEvent(
  outbox: Outbox,
  caller: Caller,
  workspaceId: string,
  before: TicketDetail | null,
  after: TicketDetail,
  options?: Parameters<Outbox['add']>[1],
): void {
  if (before !== null && (before.queueId !== after.queueId || before.private !== after.private))
    outbox.areReadersNew = true;
  const archived = before !== null && before.archivedAt === null && after.archivedAt !== null;
  const event: NewEvent = {
    type: 'Ticket',
    action: before === null ? 'created' : archived ? 'archived' : 'updated',
    workspaceId,
    actor: {
      userId: before === null ? after.authorId : caller.personId,
      source: before === null ? after.source : caller.source,
    },
    data: after,
    ticket: { id: after.id, code: after.code, queueId: after.queueId },
    changes: before === null ? null : changesBetween(before, after),
  };
  outbox.add(event, options);
}
