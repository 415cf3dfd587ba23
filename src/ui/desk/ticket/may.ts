import { useSession } from '../api/session.ts';
import type { Ticket, TicketDetail } from '../api/types.ts';
import { isOfTeam, useQueue } from './readers.ts';

export interface Permissions {
  /** The signed-in person; undefined for a key without one. */
  me: string | undefined;
  isRequester: boolean;
  /** May change the ticket: an agent those of their queues, or assigned to them. */
  isWorker: boolean;
  /** May put it aside: the service keeps no snooze of a ticket that has ended. */
  maySnooze: boolean;
  /** May reply as one of those whom the ticket concerns. */
  isParticipant: boolean;
}

export const hasEnded = ({ status, archivedAt }: Pick<Ticket, 'status' | 'archivedAt'>): boolean =>
  archivedAt !== null || ['Done', 'Closed'].includes(status.statusGroup.label);

/** The signed-in person; undefined for a key without one. */
export function useMe(): string | undefined {
  const session = useSession();
  return session?.userId ?? session?.user?.id ?? undefined;
}

/** What the signed-in person may do on a ticket, so that nothing else is offered; the service decides. */
export function usePermissions(ticket: TicketDetail): Permissions {
  const session = useSession();
  const me = useMe();
  const role = session?.role ?? 'admin';
  const { queueId, assigneeId, requesterId, authorId, approvers, followers } = ticket;
  const queues = session?.queueIds ?? null;
  const queue = useQueue(queueId);
  // An agent of all queues is of no team.
  const isOpen = queue?.visibility !== 'team' || isOfTeam(queue, { id: me, role, queueIds: queues });
  const isWorker =
    role === 'admin' ||
    (role === 'agent' &&
      ((isOpen && (queues === null || (queueId !== null && queues.includes(queueId)))) ||
        (Boolean(me) && assigneeId === me)));
  const concerned = [requesterId, authorId, assigneeId, ...[...approvers, ...followers].map(({ id }) => id)];
  return {
    me,
    isWorker,
    maySnooze: isWorker && !hasEnded(ticket),
    isRequester: role === 'requester',
    isParticipant: me !== undefined && concerned.includes(me),
  };
}
