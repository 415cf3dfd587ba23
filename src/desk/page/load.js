import { api, choices, Refusal } from './api.js';
import { withPending } from './pending.js';
import { ticketAddress } from './route.js';
import { findSimilar } from './similar.js';
import { attempt, change, say, state } from './state.js';
import { fullName, otherClaim } from './words.js';

/** Messages of a ticket that are shown at most, the latest. */
const MESSAGES = 500;

/** What there is to choose from, once after signing in. */
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
  // A ticket that was read first did not know which of its fields name people.
  await loadPeople(peopleIn(state.ticket.record?.customFields));
}

/** Reads the users that are not known yet. */
export async function loadPeople(ids) {
  const unknown = [...new Set(ids)].filter((id) => id && !state.people.has(id));
  if (unknown.length === 0) return;
  const { items } = await api.users({ set: unknown.join(','), limit: unknown.length });
  for (const person of items) state.people.set(person.id, person);
  change();
}

/** The filters as the service's parameters. */
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

/** The tickets of a view that hold all of the words, where there are any, the latest first. */
function listed(filters) {
  const { limit } = state.list;
  const order = { sortBy: 'updatedAt', sortDirection: 'desc', limit };
  return api.tickets({ ...filterQuery(filters), search: filters.search, ...order });
}

/** The best of a view, with why each was found; where the service has no such search, those with all of the words. */
async function found(filters) {
  try {
    return await api.search({ ...filterQuery(filters), query: filters.search, limit: BEST });
  } catch (error) {
    if (error instanceof Refusal && [400, 404, 405].includes(error.status)) return listed(filters);
    throw error;
  }
}

/** As many as a search finds at most. */
export const BEST = 20;

let listTurn = 0;

/** Reads the list; of two that run at the same time the later one counts. */
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

/** People whom a ticket's own fields name. */
function peopleIn(customFields = {}) {
  const isOfPeople = (key) =>
    state.fields.find((field) => field.key === key)?.type.match(/^USER_(MULTI_)?SELECT$/);
  return Object.entries(customFields).flatMap(([key, value]) => (isOfPeople(key) ? value : []));
}

let ticketTurn = 0;
/** Claims end by themselves, and nobody tells of it. */
let claimEnds;

/** Reads the open ticket with its conversation; what is typed stays. */
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
    // A service that knows no filter by ticket sends others too.
    const messages = items
      .filter(({ ticketId }) => ticketId === record.id)
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const news = messages.filter(({ id }) => known && !known.messages.some((message) => message.id === id));
    if (news.length > 0) say(`New message from ${fullName(news.at(-1).author)}`);
    // In another queue it has another reference; the old one leads there too.
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
    // What is shown already is better than a sentence.
    if (turn === ticketTurn && !known) change({ ticket: { error: error.message } });
  }
}
