/** Filters that stand in the address of a list, so that a view can be kept and sent to somebody. */
export const FILTERS = ['status', 'queueId', 'assigneeId', 'requesterId', 'approverId', 'priority', 'search'];

/** `#/?status=open`, `#/tickets/IT-42`, `#/new`, `#/settings`. */
export function readRoute() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [first = '', second = ''] = path.split('/');
  if (first === 'tickets' && second) return { name: 'ticket', code: decodeURIComponent(second) };
  if (first === 'new' || first === 'settings') return { name: first };
  const given = new URLSearchParams(query);
  const filters = Object.fromEntries(
    FILTERS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]),
  );
  return { name: 'list', filters: { status: 'open', ...filters } };
}

export function listAddress(filters) {
  const given = FILTERS.filter((key) => filters[key] && !(key === 'status' && filters[key] === 'open'));
  const query = new URLSearchParams(given.map((key) => [key, filters[key]])).toString();
  return query ? `#/?${query}` : '#/';
}

export function ticketAddress(code) {
  return `#/tickets/${encodeURIComponent(code)}`;
}

export function goTo(address) {
  location.hash = address;
}
