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
  /** In Slack: the queues of whose triage channels they are members. */
  triages?: readonly string[];
}

export interface ReadTicket {
  queue: ReadQueue;
  isPrivate: boolean;
  /** Who takes part in it. */
  people: readonly string[];
}

/**
 * The table of docs/rules.md, Who reads a queue, and the roles before it, written once more, as a reader says it: at the desk
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

/**
 * The same in Slack, where every member reads what is for everyone, and the team that reads what is private are the members
 * of triage channels and the `autoAssignees`. Of admins it says nothing: they open a team's tickets at the desk.
 */
export function readsInSlack(
  { role, personId, queueIds, triages = [] }: Reader,
  { queue, isPrivate, people }: ReadTicket,
): boolean {
  if (people.includes(personId) || triages.includes(queue.id)) return true;
  if (queue.autoAssignees.includes(personId)) return true;
  if (isPrivate) return false;
  if (queue.visibility === 'team') return role === 'agent' && (queueIds?.includes(queue.id) ?? false);
  return queue.visibility === 'workspace' || role === 'agent';
}

/** Returns whether everyone may read a ticket, as a public channel needs. */
export function isForEveryone({ queue, isPrivate }: ReadTicket): boolean {
  return !isPrivate && queue.visibility === 'workspace';
}
