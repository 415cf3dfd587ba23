import type { ThinTicket, Ticket, TicketDetail } from '../../contract/index.ts';
import { iso, isoOrNull } from '../instants.ts';
import type { TicketRow } from './rows.ts';

/** Returns a human reference (IT-42). */
export function codeOf(prefix: string, number: number): string {
  return `${prefix}-${number}`;
}

/** Returns a ticket's fields without its relations. */
function own(row: TicketRow) {
  return {
    id: row.id,
    number: row.number,
    shortId: row.short_id,
    code: codeOf(row.queue.prefix, row.number),
    title: row.title,
    description: row.description,
    priority: row.priority,
    published: row.published,
    private: row.private,
    source: row.source,
    queueId: row.queue_id,
    requesterId: row.requester_id,
    authorId: row.author_id,
    assigneeId: row.assignee_id,
    statusId: row.status_id,
    requestTypeId: row.request_type_id,
    parentId: row.parent_id,
    disableAIResponse: row.disable_ai_response,
    assignedAIAgent: row.assigned_ai_agent,
    chatChannelId: row.chat_channel_id,
    publishedAt: isoOrNull(row.published_at),
    assignedAt: isoOrNull(row.assigned_at),
    dueAt: isoOrNull(row.due_at),
    snoozeUntil: isoOrNull(row.snooze_until),
    approvedAt: isoOrNull(row.approved_at),
    declinedAt: isoOrNull(row.declined_at),
    startAt: isoOrNull(row.start_at),
    respondedAt: isoOrNull(row.responded_at),
    resolvedAt: isoOrNull(row.resolved_at),
    closedAt: isoOrNull(row.closed_at),
    archivedAt: isoOrNull(row.archived_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

export function toTicket(row: TicketRow): Ticket {
  return {
    ...own(row),
    queue: {
      id: row.queue_id,
      prefix: row.queue.prefix,
      emoji: row.queue.emoji,
      workspaceId: row.workspace_id,
      name: row.queue.name,
      workspace: { slug: row.queue.slug },
    },
    status: row.status,
    requestType: row.request_type,
    approvers: row.approvers.map((id) => ({ id })),
    chatThreads: row.chat_threads,
    csat: row.ratings.map(({ score, feedback }) => ({ score, feedback })),
    parent: row.parent,
    children: row.children,
    tags: row.tags,
  };
}

/** `now` decides whether the claim still holds. */
export function toDetail(row: TicketRow, now: Date): TicketDetail {
  return {
    ...toTicket(row),
    followers: row.followers.map((id) => ({ id })),
    customFields: row.custom_fields,
    metadata: { approval: row.approval, claim: claimOf(row, now) },
  };
}

/** Returns who is replying to the ticket at the moment (docs/api.md, Tickets). */
export function claimOf(
  row: Pick<TicketRow, 'claim_person_id' | 'claim_until'>,
  now: Date,
): TicketDetail['metadata']['claim'] {
  const { claim_person_id: userId, claim_until: until } = row;
  return userId !== null && until !== null && until > now ? { userId, until: iso(until) } : null;
}

export function toThin(row: TicketRow): ThinTicket {
  const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);
  return {
    ...own(row),
    queue: row.queue_id,
    status: row.status_id,
    requestType: row.request_type_id,
    approvers: row.approvers,
    chatThreads: ids(row.chat_threads),
    csat: ids(row.ratings),
    parent: row.parent_id,
    children: ids(row.children),
    tags: ids(row.tags),
  };
}
