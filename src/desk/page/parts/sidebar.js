import { html, nothing } from '../lit.js';
import { isRequester } from '../may.js';
import { goTo, listAddress } from '../route.js';
import { change, state } from '../state.js';
import { removeView, savedViews, saveView } from '../views.js';

const BUILT_IN = [
  ['Open', { status: 'open' }],
  ['Mine', { status: 'open', assigneeId: 'me' }],
  ['Unassigned', { status: 'open', assigneeId: 'none' }],
  ['Waiting for my approval', { status: 'open', approverId: 'me' }],
  ['All', { status: 'any' }],
];

/** A requester has no tickets to work on. */
const OF_REQUESTERS = ['Open', 'Waiting for my approval', 'All'];

const isOfMe = (filters) => Object.values(filters).includes('me');

function builtIn() {
  if (isRequester()) return BUILT_IN.filter(([name]) => OF_REQUESTERS.includes(name));
  return BUILT_IN.filter(([, filters]) => state.session.userId || !isOfMe(filters));
}

export function sidebar() {
  const now = listAddress(state.filters);
  const isNow = (filters) => state.route.name === 'list' && listAddress(filters) === now;
  const link = (name, filters) =>
    html`<a href=${listAddress(filters)} aria-current=${isNow(filters) ? 'page' : nothing}>${name}</a>`;
  const saved = savedViews();
  const isKnown = [...BUILT_IN.map(([, filters]) => filters), ...saved.map(({ filters }) => filters)].some(
    (filters) => listAddress(filters) === now,
  );
  return html`
    <nav class="sidebar" aria-label="Views">
      <ul>
        ${builtIn().map(([name, filters]) => html`<li>${link(name, filters)}</li>`)}
        ${saved.map(
          ({ name, filters }) =>
            html`<li class="saved">
              ${link(name, filters)}
              <button class="quiet" aria-label=${`Remove the view ${name}`} @click=${() => forget(name)}>
                ×
              </button>
            </li>`,
        )}
      </ul>
      ${isRequester() ? nothing : analytics()}
      ${
        isKnown
          ? nothing
          : html`<form class="save-view" @submit=${save}>
              <label for="view-name">Save this view as</label>
              <input id="view-name" name="name" required maxlength="40" />
              <button class="plain">Save view</button>
            </form>`
      }
    </nav>
  `;
}

function analytics() {
  return html`<ul class="apart">
    <li>
      <a href="#/analytics" aria-current=${state.route.name === 'analytics' ? 'page' : nothing}>Analytics</a>
    </li>
  </ul>`;
}

function save(event) {
  event.preventDefault();
  saveView(event.target.elements.name.value.trim(), state.filters);
  goTo(listAddress(state.filters));
  change();
}

function forget(name) {
  removeView(name);
  change();
}
