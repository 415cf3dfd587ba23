import { filterBy } from '../filter.js';
import { html, live, nothing, repeat } from '../lit.js';
import { BEST, showMore } from '../load.js';
import { isRequester } from '../may.js';
import { goTo, listAddress, ticketAddress } from '../route.js';
import { state } from '../state.js';
import { ago, groupOf, nameOf, PRIORITIES } from '../words.js';
import { select } from './bits.js';
import { personField } from './person-field.js';

const REFERENCE = /^[A-Za-z][A-Za-z0-9]*-\d+$/;

/** The list next to the open ticket, or on the whole page. */
export function ticketList(role) {
  const { items, total, error } = state.list;
  const body = html`
    <h1 class=${role === 'main' ? '' : 'only-read'} tabindex="-1">Tickets</h1>
    ${searchAndFilters()} ${error || items.length === 0 ? nothing : searched()}
    ${
      error
        ? html`<p class="refusal">${error}</p>`
        : items.length === 0 && state.list.filters
          ? empty()
          : html`<ul class="rows">
              ${repeat(items, ({ id }) => id, row)}
            </ul>`
    }
    ${
      items.length < total
        ? html`<p class="more">
            ${items.length} of ${total}
            <button class="plain" ?disabled=${state.busy.has('more')} @click=${showMore}>Show more</button>
          </p>`
        : nothing
    }
  `;
  return role === 'main'
    ? html`<main id="main" class="list" tabindex="-1">${body}</main>`
    : html`<section class="list" aria-label="Tickets">${body}</section>`;
}

function row(ticket) {
  const { code, title, status, priority, queue, requesterId, assigneeId, updatedAt } = ticket;
  const isOpen = state.route.code === code;
  const match = state.list.matches?.find(({ ticketId }) => ticketId === ticket.id);
  const [inTitle] = match?.snippets.filter(({ field }) => field === 'title') ?? [];
  return html`<li>
    <a class="row" href=${ticketAddress(code)} data-code=${code} aria-current=${isOpen ? 'page' : nothing}>
      <span class="first">
        <span class="code">${code}</span>
        <span class="status" data-group=${groupOf(status)}>${status.label}</span>
        ${
          priority === 'URGENT' || priority === 'HIGH'
            ? html`<span class="priority" data-priority=${priority}>${PRIORITIES[priority]}</span>`
            : nothing
        }
        <time datetime=${updatedAt}>${ago(updatedAt)}</time>
      </span>
      <span class="title">${inTitle ? marked(inTitle) : title || 'Untitled'}</span>
      ${match ? why(match) : nothing}
      <span class="dim">
        ${isRequester() ? nothing : html`${nameOf(requesterId) || 'Nobody'} · `}${queue ? html`${queue.name} · ` : nothing}
        ${!assigneeId ? 'unassigned' : state.people.has(assigneeId) ? `with ${nameOf(assigneeId)}` : 'assigned'}
      </span>
    </a>
  </li>`;
}

/** Why a search found a ticket, other than by its title. */
function why({ by, snippets }) {
  if (by === 'meaning') return html`<span class="why">Similar in meaning</span>`;
  return snippets
    .filter(({ field }) => field !== 'title' && field !== 'reference')
    .map((snippet) => html`<span class="why">${FIELDS[snippet.field] ?? nothing} ${marked(snippet)}</span>`);
}

const FIELDS = { message: 'Message:', note: 'Internal note:' };

/** A text with its highlights; lit escapes each piece. */
function marked({ text, marks }) {
  let at = 0;
  const pieces = marks.map(({ from, to }) => {
    const piece = html`${text.slice(at, from)}<mark>${text.slice(from, to)}</mark>`;
    at = to;
    return piece;
  });
  return [...pieces, text.slice(at)];
}

const everything = (search) => ({ status: 'any', search });

/** Whether a search covers all tickets. A service that gives no reasons for its hits has no filters there. */
const isWhole = (filters, { items, matches = [] }) =>
  listAddress(filters) === listAddress({ ...everything(filters.search), by: filters.by }) ||
  (filters.by !== 'words' && items.length > 0 && matches.length === 0);

/** The scope of the search as text. */
function view({ status, queueId, priority, assigneeId, requesterId, approverId }) {
  const person = (id) => (id === 'me' ? 'you' : nameOf(id));
  const named = (records, id) => records.find((each) => each.id === id);
  const tickets =
    status === 'open'
      ? 'open tickets'
      : status === 'any'
        ? 'all tickets'
        : `tickets in “${named(state.statuses, status)?.label ?? 'one status'}”`;
  return [
    tickets,
    queueId && `of ${named(state.queues, queueId)?.name ?? 'one queue'}`,
    priority && `with priority ${PRIORITIES[priority]}`,
    assigneeId && (assigneeId === 'none' ? 'unassigned' : `with ${person(assigneeId)}`),
    requesterId && `asked by ${person(requesterId)}`,
    approverId && `waiting for ${person(approverId)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The header of search results: the scope, and links to other scopes. */
function searched() {
  const { filters, items, total } = state.list;
  if (!filters?.search) return nothing;
  const whole = isWhole(filters, state.list);
  const words =
    filters.by === 'words'
      ? html`All that have these words, of ${view(filters)}.`
      : html`${total >= BEST ? `The best ${items.length}` : total} of
        ${whole ? 'all tickets, open and closed' : view(filters)}, best first.`;
  return html`<p class="searched dim">
    ${words}
    ${whole ? nothing : html`<a href=${listAddress(everything(filters.search))}>Search all tickets</a>`}
    ${
      filters.by !== 'words' && total >= BEST
        ? html`<a href=${listAddress({ ...filters, by: 'words' })}>List all with these words</a>`
        : nothing
    }
  </p>`;
}

function empty() {
  const { filters } = state.list;
  const { search, status } = filters;
  const whole = isWhole(filters, state.list);
  if (search)
    return html`<div class="empty">
      <p>Nothing found for “${search}” in ${whole ? 'all tickets, open and closed' : view(filters)}.</p>
      <p class="dim">
        ${
          whole
            ? html`Try fewer or other words, or <a href="#/?status=any">search all tickets</a>.`
            : html`<a href=${listAddress(everything(search))}>Search all tickets</a>`
        }
      </p>
    </div>`;
  return html`<div class="empty">
    <p>Nothing here.</p>
    <p class="dim">
      ${
        status === 'any'
          ? html`<a href="#/new">Open the first one</a>`
          : html`<a href="#/?status=any">Show all tickets</a>`
      }
    </p>
  </div>`;
}

/** Typed text is newer than the filter. */
function typed() {
  const field = document.getElementById('search');
  return field && field === document.activeElement ? field.value : (state.filters.search ?? '');
}

let typing;

function searchAndFilters() {
  const { filters } = state;
  const given = ['queueId', 'assigneeId', 'requesterId', 'priority'].filter((key) => filters[key]).length;
  const search = (event) => {
    event.preventDefault();
    clearTimeout(typing);
    const text = event.target.elements.search.value.trim();
    if (REFERENCE.test(text)) goTo(ticketAddress(text.toUpperCase()));
    else filterBy({ search: text || undefined, by: undefined });
  };
  const input = ({ target }) => {
    clearTimeout(typing);
    typing = setTimeout(() => filterBy({ search: target.value.trim() || undefined, by: undefined }), 300);
  };
  return html`
    <form class="search" role="search" @submit=${search}>
      <input
        id="search"
        name="search"
        type="search"
        aria-label="Search tickets"
        placeholder="Search, or a reference"
        .value=${live(typed())}
        @input=${input}
      />
    </form>
    <details class="filters" ?open=${given > 0}>
      <summary>Filters${given > 0 ? ` (${given})` : ''}</summary>
      <div class="fields">
        ${select({
          label: 'Status',
          value: filters.status,
          options: [['open', 'All that are open'], ['any', 'Any'], ...statusGroups()],
          onChange: (status) => filterBy({ status }),
        })}
        ${select({
          label: 'Queue',
          value: filters.queueId,
          options: [['', 'Any'], ...state.queues.map(({ id, name }) => [id, name])],
          onChange: (queueId) => filterBy({ queueId }),
        })}
        ${select({
          label: 'Priority',
          value: filters.priority,
          options: [['', 'Any'], ...Object.entries(PRIORITIES)],
          onChange: (priority) => filterBy({ priority }),
        })}
        ${isRequester() ? nothing : peopleFilters(filters)}
      </div>
    </details>
  `;
}

function peopleFilters(filters) {
  return html`${personField({
    key: 'filter-assignee',
    label: 'Assignee',
    value: known(filters.assigneeId),
    placeholder: filters.assigneeId === 'none' ? 'Unassigned' : 'Anybody',
    onPick: (assigneeId) => filterBy({ assigneeId }),
  })}
  ${personField({
    key: 'filter-requester',
    label: 'Requester',
    value: filters.requesterId,
    placeholder: 'Anybody',
    onPick: (requesterId) => filterBy({ requesterId }),
  })}`;
}

const known = (id) => (id === 'none' ? null : id === 'me' ? state.session.userId : id);

/** Statuses under their groups, in the workspace's order. */
export function statusGroups() {
  const groups = Map.groupBy(state.statuses, ({ statusGroup }) => statusGroup.label);
  return [...groups].map(([label, statuses]) => ({
    label,
    options: statuses.map((status) => [status.id, status.label]),
  }));
}
