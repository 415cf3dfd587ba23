import { readQuestion } from './analytics/question.js';

/** Filters in the address of a list, so that a view can be bookmarked or shared. */
export const FILTERS = [
  'status',
  'queueId',
  'assigneeId',
  'requesterId',
  'approverId',
  'priority',
  'search',
  'by',
];

/** An address that a user typed may be badly encoded. */
function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Parses `#/?status=open`, `#/tickets/IT-42`, `#/new`, `#/settings/queues`, and one record:
 * `#/settings/queues/ID`.
 */
export function readRoute() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [first = '', second = '', third = ''] = path.split('/').map(decoded);
  if (first === 'tickets' && second) return { name: 'ticket', code: second };
  if (first === 'settings') return { name: first, section: second, item: third };
  if (first === 'new') return { name: first };
  // Where the sign-in leads back to after a refusal.
  if (first === 'sign-in') return { name: 'list', refused: new URLSearchParams(query).get('reason') };
  if (first === 'analytics') return { name: first, question: readQuestion(query) };
  const given = new URLSearchParams(query);
  const filters = Object.fromEntries(
    FILTERS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]),
  );
  return { name: 'list', filters: { status: 'open', ...filters } };
}

/** Whether the list of tickets is shown, alone or next to the open ticket. */
export const hasList = ({ name }) => name !== 'settings' && name !== 'analytics';

export function listAddress(filters) {
  const given = FILTERS.filter((key) => filters[key] && !(key === 'status' && filters[key] === 'open'));
  const query = new URLSearchParams(given.map((key) => [key, filters[key]])).toString();
  return query ? `#/?${query}` : '#/';
}

export function ticketAddress(code) {
  return `#/tickets/${encodeURIComponent(code)}`;
}

export function settingsAddress(section, item) {
  const names = ['settings', section, item].filter(Boolean);
  return `#/${names.map(encodeURIComponent).join('/')}`;
}

export function goTo(address) {
  location.hash = address;
}
