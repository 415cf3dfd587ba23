import type { TicketField } from '../../contract/index.ts';
import { isFilled } from '../custom-fields/value.ts';
import type { ServiceDb } from '../handler.ts';
import type { StoredTicket, TicketKey } from './find.ts';

/** A ticket's own fields that a custom field may map to; absent is empty. */
export interface OwnFields {
  title?: string | null | undefined;
  description?: string | null | undefined;
  requesterId?: string | null | undefined;
  assigneeId?: string | null | undefined;
  dueAt?: string | null | undefined;
  approverIds?: readonly string[] | null | undefined;
  approvers?: readonly { id: string }[] | null | undefined;
  followers?: readonly { id: string }[] | null | undefined;
}

/** Returns whether the ticket itself fills the field: then a custom field that maps to it is not asked. */
export function fillsField(field: TicketField, ticket: OwnFields): boolean {
  switch (field) {
    case 'STATUS':
    case 'PRIORITY':
      return true;
    case 'TITLE':
      return isFilled(ticket.title) || isFilled(ticket.description);
    case 'DESCRIPTION':
      return isFilled(ticket.description);
    case 'REQUESTER':
      return isFilled(ticket.requesterId);
    case 'ASSIGNEE':
      return isFilled(ticket.assigneeId);
    case 'APPROVERS':
      return isFilled(ticket.approverIds) || isFilled(ticket.approvers);
    case 'FOLLOWERS':
      return isFilled(ticket.followers);
    case 'DUE_DATE':
      return isFilled(ticket.dueAt);
  }
}

export function ownFields(ticket: StoredTicket): OwnFields {
  return {
    title: ticket.title,
    description: ticket.description,
    requesterId: ticket.requester_id,
    assigneeId: ticket.assignee_id,
    dueAt: ticket.due_at?.toISOString(),
  };
}

/** Returns the users of a stored ticket. */
export async function peopleOfTicket(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
): Promise<Pick<OwnFields, 'approvers' | 'followers'>> {
  const of = (table: 'ticket_approver' | 'ticket_follower') =>
    db
      .selectFrom(table)
      .select('person_id as id')
      .where('workspace_id', '=', workspaceId)
      .where('ticket_id', '=', id)
      .execute();
  return { approvers: await of('ticket_approver'), followers: await of('ticket_follower') };
}

/** Returns the fields that a request names. */
export function namedFields(data: OwnFields): OwnFields {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
