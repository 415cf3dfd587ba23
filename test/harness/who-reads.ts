import type { PersonRole, QueueVisibility } from '../../src/contract/index.ts';

export interface ReadQueue {
  id: string;
  visibility: QueueVisibility;
  autoAssignees: readonly string[];
}

export interface Reader {
  personId: string;
  /** Undefined: a key. */
  role: PersonRole | undefined;
  queueIds: readonly string[] | null;
}

export interface ReadTicket {
  queue: ReadQueue;
  isPrivate: boolean;
  /** Who takes part in it. */
  people: readonly string[];
}

/**
 * The table of docs/admin.md, Who reads a queue, and the roles before it, written once more, as a reader says it: at the desk
 * and for programs.
 */
export function reads(
  { role, personId, queueIds }: Reader,
  { queue, isPrivate, people }: ReadTicket,
): boolean {
  if (role === undefined) return queueIds === null || queueIds.includes(queue.id);
  if (role === 'admin' || people.includes(personId)) return true;
  if (role === 'requester') return false;
  if (queue.visibility === 'team')
    return (
      (queueIds?.includes(queue.id) ?? false) ||
      (queue.autoAssignees.includes(personId) && (!isPrivate || queueIds === null))
    );
  return !isPrivate || queueIds === null || queueIds.includes(queue.id);
}
