import { useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import type { Person, Queue, TicketDetail } from '../api/types.ts';

/**
 * Who reads a ticket besides its participants and admins: everybody in the workspace, all agents, the team of its
 * queue; of a private one the agents of its queue.
 */
export type Readers = 'workspace' | 'agents' | 'team' | 'queue';

/** The queue with this id, as the list of queues has it. */
export function useQueue(id: string | null): Queue | undefined {
  return useChoices('listQueues').find((queue) => queue.id === id);
}

/** Returns who can read a ticket; undefined if the service does not say. */
export function useReaders({ queueId, private: isPrivate }: TicketDetail): Readers | undefined {
  const visibility = useQueue(queueId)?.visibility;
  if (!visibility) return undefined;
  return isPrivate && visibility !== 'team' ? 'queue' : visibility;
}

/** "The People team". */
export function useReadersText({ queue }: Pick<TicketDetail, 'queue'>): (readers: Readers) => string {
  const t = useTranslations('ticket');
  return (readers) => t(`readers.kinds.${readers}`, { queue: queue?.name ?? '' });
}

/** Returns whether a move to another queue may change who can read a ticket: then it is confirmed first. */
export function mayChangeReaders(
  { private: isPrivate }: TicketDetail,
  from: Queue | undefined,
  to: Queue,
): boolean {
  if (!to.visibility) return false;
  return isPrivate || [from?.visibility ?? 'workspace', to.visibility].some((each) => each !== 'workspace');
}

/** Returns whether a user is in the team of a queue: it is one of their queues, or it assigns tickets to them. */
export function isOfTeam(
  { id, autoAssignees }: Queue,
  person: {
    id?: string | null | undefined;
    role?: Person['role'] | undefined;
    queueIds?: Person['queueIds'] | undefined;
  },
): boolean {
  const isNamed = person.role !== 'requester' && (person.queueIds?.includes(id) ?? false);
  return isNamed || autoAssignees.some((each) => each.id === person.id);
}
