import { call, path } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { loadChoices, loadPeople } from '../../load.js';
import { goTo, settingsAddress } from '../../route.js';
import { ifAble, keep, listOr } from '../../settings.js';
import { say, state } from '../../state.js';
import { isOfWorkspace, loadWorkspaces, workspace } from '../../workspaces.js';
import { refusal } from '../bits.js';
import { createForm, workspaceChoice } from '../controls.js';
import { queuePage } from './queue.js';

const PLACE = 'queues';
const MAKE = 'make queues';

/** Queues and all of their settings. */
export const queues = { key: PLACE, title: 'Queues', load, render };

async function load() {
  const [read] = await Promise.all([
    listOr('queues', () => call('GET', `${path(PLACE)}?limit=1000`)),
    loadWorkspaces(),
  ]);
  read.items = read.items.filter(({ deletedAt }) => !deletedAt);
  keep(PLACE, read);
  const ids = read.items.flatMap(({ autoAssignees }) => autoAssignees.map(({ id }) => id));
  // Without the names, the queues say “somebody”.
  await loadPeople(ids).catch(() => undefined);
}

function render({ items, why, lacks }) {
  const open = items.find(({ id }) => id === state.route.item);
  if (open) return queuePage(open);
  return html`
    ${workspaceChoice()} ${why ? html`<p class="dim">${why}</p>` : nothing}
    ${state.route.item && !why ? html`<p class="dim">This queue no longer exists.</p>` : nothing}
    <ul class="cards">
      ${items.filter(isOfWorkspace).map(card)}
    </ul>
    ${lacks?.[MAKE] || why ? nothing : create()} ${refusal(PLACE)}
  `;
}

function card({ id, name, prefix, emoji, _count, chatChannels, settings }) {
  const tickets = _count && `${_count.tickets} ${_count.tickets === 1 ? 'ticket' : 'tickets'}`;
  const channels = `${chatChannels.length} ${chatChannels.length === 1 ? 'channel' : 'channels'}`;
  return html`<li>
    <a class="card" href=${settingsAddress(PLACE, id)}>
      <strong>${emoji ? html`<span aria-hidden="true">${emoji}</span> ` : nothing}${name}</strong>
      <code>${prefix}</code>
      <span class="dim">${[tickets, channels].filter(Boolean).join(', ')}</span>
      ${settings?.silentMode ? html`<span class="chip">silent</span>` : nothing}
    </a>
  </li>`;
}

function create() {
  return createForm({
    place: PLACE,
    title: 'A new queue',
    button: 'Create queue',
    fields: [
      { name: 'name', label: 'Name', required: true, maxlength: 200 },
      {
        name: 'prefix',
        label: 'Prefix of its tickets',
        required: true,
        maxlength: 10,
        pattern: '\\s*[A-Za-z][A-Za-z0-9]*\\s*',
        placeholder: 'HELP',
        title: 'A letter, then letters and digits, ten at most',
      },
    ],
    create: async ({ name, prefix }) => {
      const body = { name, prefix: prefix.toUpperCase(), workspaceId: workspace()?.id };
      const { id } = await ifAble(PLACE, MAKE, () => call('POST', path(PLACE), body));
      say(`${name} is created.`);
      await Promise.all([load(), loadChoices()]);
      goTo(settingsAddress(PLACE, id));
    },
  });
}
