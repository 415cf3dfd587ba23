import { isOfQueue } from '../access/ticket-access.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { ServiceProblem, unprocessable } from '../problem.ts';
import type { StoredTicket } from './find.ts';
import { isRunning } from './due-times.ts';
import { statusKind } from './statuses.ts';

/**
 * Throws unless a requester who is not of the ticket's team sets it as the card in chat does: closes it, or opens it
 * again. 403 for any other status; 422 for a ticket that was merged, which goes on as another one.
 */
export async function requireOwnEnd(
  db: ServiceDb,
  caller: Caller,
  ticket: StoredTicket,
  statusId: string | null | undefined,
): Promise<void> {
  const isAssignee = caller.session?.role === 'agent' && caller.personId === ticket.assignee_id;
  if (isAssignee || (await isOfQueue(db, caller, ticket.queue_id))) return;
  if (ticket.merged_into_id !== null)
    throw unprocessable(
      'data.statusId',
      'This ticket was merged into another one. Write there, or reopen that one',
    );
  if (!statusId) return;
  const kind = await statusKind(db, ticket.workspace_id, statusId, ticket.request_type_id);
  const wanted = isRunning(ticket) ? 'CLOSED' : 'OPEN';
  if (statusId !== ticket.status_id && kind !== wanted)
    throw new ServiceProblem(
      'FORBIDDEN',
      'The requester may close this ticket, and open it again. Other statuses are set by its team.',
    );
}
