import { drawPreview } from '../../form-preview.js';
import { html, nothing } from '../../lit.js';
import { loadRequestTypes } from '../../load-request-types.js';
import { edited, openRequestType, PLACE, shownHere } from '../../request-type.js';
import { settingsAddress } from '../../route.js';
import { state } from '../../state.js';
import { loadWorkspaces } from '../../workspaces.js';
import { workspaceChoice } from '../controls.js';
import { requestTypeEditor } from './request-type-editor.js';

/** The request types of the workspace and their questions. */
export const requestTypes = { key: PLACE, title: 'Request types', load, render };

async function load() {
  await Promise.all([loadRequestTypes(), loadWorkspaces()]);
  const { item } = state.route;
  openRequestType(item);
  if (edited()) drawPreview();
}

function render({ items, why, isWhole }) {
  const { item } = state.route;
  if (!items) return html`<p class="dim" aria-busy="true">Reading the request types…</p>`;
  if (item && edited()?.item === item) return requestTypeEditor();
  return html`
    ${workspaceChoice()} ${why ? html`<p class="dim">${why}</p>` : nothing}
    ${item && !why && !isOfNews(item, items) ? html`<p class="dim">This request type no longer exists.</p>` : nothing}
    <p class="dim">Request types with a form, in chat and here. Collections are the headings of the menu.</p>
    ${
      isWhole || why
        ? nothing
        : html`<p class="dim">This service shows only those that are offered as forms.</p>`
    }
    ${why ? nothing : branch(undefined)}
    <p class="chips">
      <a class="primary" href=${settingsAddress(PLACE, 'new')}>New request type</a>
      <a class="plain" href=${settingsAddress(PLACE, 'new-collection')}>New collection</a>
    </p>
  `;
}

/** The request type that is about to be opened. */
const isOfNews = (item, items) =>
  item === 'new' || item === 'new-collection' || items.some(({ id }) => id === item);

/** The members of a collection; the top level has those without a known collection. */
function branch(parent) {
  const all = shownHere();
  const isHere = ({ parentId }) => (parent ? parentId === parent.id : !all.some(({ id }) => id === parentId));
  const isLast = ({ type }) => Number(type === 'collection');
  const here = all.filter(isHere).toSorted((a, b) => isLast(a) - isLast(b) || a.name.localeCompare(b.name));
  if (here.length === 0) return parent ? nothing : html`<p class="dim">None yet.</p>`;
  return html`<ul class="cards request-types">
    ${here.map(
      (record) => html`<li>${card(record)} ${record.type === 'collection' ? branch(record) : nothing}</li>`,
    )}
  </ul>`;
}

function card(record) {
  const { id, name, emoji } = record;
  return html`<a class="card" href=${settingsAddress(PLACE, id)}>
    <strong>${emoji ? html`<span aria-hidden="true">${emoji}</span> ` : nothing}${name}</strong>
    ${marks(record)}
  </a>`;
}

function marks({ type, published, formEnabled, isPrivate, isDefault, customFields }) {
  if (type === 'collection') return html`<span class="dim">collection</span>`;
  const count = customFields.length;
  const words = [
    !published && 'not published',
    published && !formEnabled && 'no form',
    isPrivate && 'private',
    isDefault && 'chosen at first',
  ].filter(Boolean);
  return html`<span class="dim">${count === 1 ? '1 question' : `${count} questions`}</span>
    ${words.map((word) => html`<span class="chip">${word}</span>`)}`;
}
