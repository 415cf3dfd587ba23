import { api, choices, Refusal } from './api.js';
import { isRequester } from './may.js';
import { withPending } from './pending.js';
import { ticketAddress } from './route.js';
import { findSimilar } from './similar.js';
import { attempt, change, say, state } from './state.js';
import { fullName, otherClaim } from './words.js';

/** The maximum of messages that a ticket shows, the latest ones. */
const MESSAGES = 500;

/** Loads the options for selects, once after signing in. */
export async function loadChoices() {
  const [queues, statuses, tags, forms, fields] = await Promise.all(
    ['queues', 'statuses', 'tags', 'forms', 'custom-fields'].map(choices),
  );
  statuses.sort((a, b) => a.order - b.order);
  change({
    queues,
    statuses,
    tags,
    fields,
    forms: forms.filter(({ published, type }) => published && type !== 'collection'),
  });
  // A ticket that was loaded before did not know which of its fields contain users.
  await loadPeople(peopleIn(state.ticket.record?.customFields));
}

/** Loads the users that are not known yet. Requesters may not: they know the authors of the messages they read. */
export async function loadPeople(ids) {
  if (isRequester()) return;
  const unknown = [...new Set(ids)].filter((id) => id && !state.people.has(id));
  if (unknown.length === 0) return;
  const { items } = await api.users({ set: unknown.join(','), limit: unknown.length });
  for (const person of items) state.people.set(person.id, person);
  change();
}

/** Converts the filters to the service's query parameters. */
function filterQuery({ status, assigneeId, requesterId, approverId, search: _, by: _by, ...others }) {
  const me = (id) => (id === 'me' ? state.session.userId : id);
  return {
    ...others,
    ...(status === 'open' ? { openFilter: true } : status === 'any' ? {} : { statusId: status }),
    ...(assigneeId === 'none' ? { unassignedFilter: true } : { assigneeId: me(assigneeId) }),
    requesterId: me(requesterId),
    approverId: me(approverId),
  };
}

/** The tickets of a view that contain all of the words, if there are any, the latest first. */
function listed(filters) {
  const { limit } = state.list;
  const order = { sortBy: 'updatedAt', sortDirection: 'desc', limit };
  return api.tickets({ ...filterQuery(filters), search: filters.search, ...order });
}

/**
 * The best matches in a view, each with its reason; if the service has no such search, the tickets that
 * contain all of the words.
 */
async function found(filters) {
  try {
    return await api.search({ ...filterQuery(filters), query: filters.search, limit: BEST });
  } catch (error) {
    if (error instanceof Refusal && [400, 404, 405].includes(error.status)) return listed(filters);
    throw error;
  }
}

/** The maximum of search results. */
export const BEST = 20;

let listTurn = 0;

/** Loads the list. Of two concurrent loads, the later one wins. */
export async function loadList() {
  const turn = ++listTurn;
  const filters = state.filters;
  if (!state.session?.userId && Object.values(filters).includes('me')) {
    const error = 'This view is yours once you have chosen your name, at the top.';
    change({ list: { ...state.list, items: [], total: 0, filters, error } });
    return;
  }
  try {
    const isSearch = filters.search && filters.by !== 'words';
    const { items, totalCount, matches } = await (isSearch ? found(filters) : listed(filters));
    if (turn !== listTurn) return;
    if (state.list.total !== totalCount || state.list.filters !== filters)
      say(totalCount === 1 ? '1 ticket' : `${totalCount} tickets`);
    change({ list: { ...state.list, items, total: totalCount, matches, filters, error: undefined } });
    await loadPeople(items.flatMap(({ requesterId, assigneeId }) => [requesterId, assigneeId]));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (turn === listTurn) change({ list: { ...state.list, filters, error: error.message } });
  }
}

export async function showMore() {
  change({ list: { ...state.list, limit: state.list.limit + 50 } });
  await attempt('more', loadList);
}

/** Users in a ticket's custom fields. */
function peopleIn(customFields = {}) {
  const isOfPeople = (key) =>
    state.fields.find((field) => field.key === key)?.type.match(/^USER_(MULTI_)?SELECT$/);
  return Object.entries(customFields).flatMap(([key, value]) => (isOfPeople(key) ? value : []));
}

let ticketTurn = 0;
/** A claim expires without an event. */
let claimEnds;

/** Loads the open ticket with its conversation; typed text stays. */
export async function loadTicket() {
  const { code } = state.route;
  if (!code) return;
  const turn = ++ticketTurn;
  const known = state.ticket.record?.code === code ? state.ticket : undefined;
  try {
    const id = known?.record.id ?? state.list.items.find((each) => each.code === code)?.id ?? code;
    const record = await api.ticket(id);
    const { items, totalCount } = await api.messages({
      ticketId: record.id,
      sortBy: 'createdAt',
      sortDirection: 'desc',
      limit: MESSAGES,
    });
    if (turn !== ticketTurn || state.route.code !== code) return;
    // A service that ignores the filter by ticket returns messages of other tickets too.
    const messages = items
      .filter(({ ticketId }) => ticketId === record.id)
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    if (isRequester())
      for (const { authorId, author } of messages)
        if (author) state.people.set(authorId, { id: authorId, ...author });
    const news = messages.filter(({ id }) => known && !known.messages.some((message) => message.id === id));
    if (news.length > 0) say(`New message from ${fullName(news.at(-1).author)}`);
    // A ticket in another queue has another reference; the old one still leads to it.
    if (record.code !== code) {
      history.replaceState(null, '', ticketAddress(record.code));
      state.route = { ...state.route, code: record.code };
    }
    change({ ticket: { record: withPending(record), messages, earlier: totalCount > items.length } });
    clearTimeout(claimEnds);
    const other = otherClaim(record);
    if (other) claimEnds = setTimeout(() => void loadTicket(), new Date(other.until) - Date.now() + 1_000);
    document.title = `${record.code} ${record.title ?? ''}`;
    void findSimilar(record.id, record.title ?? '', record.id);
    const { requesterId, assigneeId, approvers } = record;
    await loadPeople([
      ...[requesterId, assigneeId, record.metadata?.claim?.userId, record.metadata?.approval?.userId],
      ...approvers.map(({ id }) => id),
      ...peopleIn(record.customFields),
    ]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The loaded ticket is better than an error message.
    if (turn === ticketTurn && !known) change({ ticket: { error: error.message } });
  }
}
