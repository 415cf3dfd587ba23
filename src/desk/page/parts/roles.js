import { state } from '../state.js';

/** The roles of people, with what each may do. */
export const ROLES = {
  requester: { name: 'Requester', does: 'Sees the tickets they take part in, and replies to them.' },
  agent: { name: 'Agent', does: 'Works on the tickets of their queues, and reads those of other queues.' },
  admin: { name: 'Admin', does: 'Works on every ticket, changes the settings and decides who may what.' },
};

/** `Agent in IT and People`, `Agent in all queues`, `Admin`. */
export function accessOf({ role, queueIds }) {
  const { name = role } = ROLES[role] ?? {};
  if (role !== 'agent') return name;
  if (queueIds === null) return `${name} in all queues`;
  const names = queueIds.map(
    (id) => state.queues.find((queue) => queue.id === id)?.name ?? 'a deleted queue',
  );
  if (names.length === 0) return `${name} without a queue`;
  return `${name} in ${new Intl.ListFormat('en').format(names)}`;
}
