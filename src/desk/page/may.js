import { state } from './state.js';

// What a role may do, so that nothing else is offered; the service decides. An API key has no role here: the page offers
// everything, and says what the service refuses.

const role = () => state.session?.role;

export const isRequester = () => role() === 'requester';

/** May change settings. */
export const isAdmin = () => role() === undefined || role() === 'admin';

/** May change a ticket: an agent those of their queues, or assigned to them. */
export function worksOn({ queueId, assigneeId }) {
  if (role() !== 'agent') return !isRequester();
  const { userId, queueIds } = state.session;
  return queueIds === null || queueIds.includes(queueId) || assigneeId === userId;
}

/** May reply as one of those whom a ticket concerns. */
export function takesPart({ requesterId, authorId, assigneeId, approvers = [], followers = [] }) {
  const ids = [requesterId, authorId, assigneeId, ...[...approvers, ...followers].map(({ id }) => id)];
  return ids.includes(state.session.userId);
}
