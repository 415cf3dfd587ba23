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

/** Who reads a ticket; undefined where the service says nothing of it. */
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

/** Whether a move to another queue may change who reads a ticket: then it is asked first. */
export function mayChangeReaders(
  { private: isPrivate }: TicketDetail,
  from: Queue | undefined,
  to: Queue,
): boolean {
  if (!to.visibility) return false;
  return isPrivate || [from?.visibility ?? 'workspace', to.visibility].some((each) => each !== 'workspace');
}

/** Whether a person is of the team of a queue: their queues name it, or it assigns its tickets to them. */
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
