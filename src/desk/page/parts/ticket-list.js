import { filterBy } from '../filter.js';
import { html, live, nothing, repeat } from '../lit.js';
import { isByMeaning, showMore } from '../load.js';
import { goTo, ticketAddress } from '../route.js';
import { state } from '../state.js';
import { ago, groupOf, nameOf, PRIORITIES } from '../words.js';
import { select } from './bits.js';
import { personField } from './person-field.js';

const REFERENCE = /^[A-Za-z][A-Za-z0-9]*-\d+$/;

/** The list beside whatever is open, or the whole page. */
export function ticketList(role) {
  const { items, total, error } = state.list;
  const body = html`
    <h1 class=${role === 'main' ? '' : 'only-read'} tabindex="-1">Tickets</h1>
    ${searchAndFilters()}
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
      <span class="title">${title || 'Untitled'}</span>
      <span class="dim">
        ${nameOf(requesterId) || 'Nobody'}${queue ? html` · ${queue.name}` : nothing} ·
        ${assigneeId ? html`with ${nameOf(assigneeId)}` : 'unassigned'}
      </span>
    </a>
  </li>`;
}

function emptyWords() {
  const { search } = state.filters;
  if (isByMeaning(state.filters)) return `No ticket says or means “${search}”.`;
  return search ? `No ticket in this view has all of these words: “${search}”.` : 'Nothing here.';
}

function empty() {
  const isSearch = Boolean(state.filters.search);
  return html`<div class="empty">
    <p>${emptyWords()}</p>
    <p class="dim">
      ${
        isSearch || state.filters.status !== 'any'
          ? html`<a href="#/?status=any">Look at all tickets</a>`
          : html`<a href="#/new">Open the first one</a>`
      }
    </p>
  </div>`;
}

/** What is being typed is ahead of the filter. */
function searched() {
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
    else filterBy({ search: text || undefined });
  };
  const input = ({ target }) => {
    clearTimeout(typing);
    typing = setTimeout(() => filterBy({ search: target.value.trim() || undefined }), 300);
  };
  return html`
    <form class="search" role="search" @submit=${search}>
      <input
        id="search"
        name="search"
        type="search"
        aria-label="Search tickets"
        placeholder="Search, or a reference"
        .value=${live(searched())}
        @input=${input}
      />
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          aria-describedby="by-meaning"
          .checked=${live(filters.by === 'meaning')}
          @change=${({ target }) => filterBy({ by: target.checked ? 'meaning' : undefined })}
        />By meaning
      </label>
      <span id="by-meaning" class="dim" ?hidden=${!isByMeaning(filters)}>
        The nearest 20 of all that are open or closed, best first.
      </span>
    </form>
    <details class="filters" ?open=${given > 0} ?hidden=${isByMeaning(filters)}>
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
        ${personField({
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
        })}
      </div>
    </details>
  `;
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
