import { useSession } from '../api/session.ts';
import type { Queue, Ticket, TicketDetail } from '../api/types.ts';
import { isOfTeam, useQueue } from './readers.ts';

export interface Permissions {
  /** The signed-in person; undefined for a key without one. */
  me: string | undefined;
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

/** Returns whether the signed-in user is in the team of a queue. */
export function useIsOfTeam(queue: Queue | undefined): boolean {
  const session = useSession();
  const me = useMe();
  const role = session?.role ?? 'admin';
  const queues = session?.queueIds ?? null;
  if (role !== 'agent') return role === 'admin';
  // An agent of all queues is of no team.
  const isOpen = queue?.visibility !== 'team' || isOfTeam(queue, { id: me, role, queueIds: queues });
  return isOpen && (queues === null || (queue !== undefined && queues.includes(queue.id)));
}

/** Returns what the signed-in user may do on a ticket, so that only that is offered. The service decides. */
export function usePermissions(ticket: TicketDetail): Permissions {
  const session = useSession();
  const me = useMe();
  const role = session?.role ?? 'admin';
  const { queueId, assigneeId, requesterId, authorId, approvers, followers } = ticket;
  const isOfItsTeam = useIsOfTeam(useQueue(queueId));
  const isWorker = isOfItsTeam || (role === 'agent' && Boolean(me) && assigneeId === me);
  const concerned = [requesterId, authorId, assigneeId, ...[...approvers, ...followers].map(({ id }) => id)];
  return {
    me,
    isWorker,
    maySnooze: isWorker && !hasEnded(ticket),
    isParticipant: me !== undefined && concerned.includes(me),
  };
}
