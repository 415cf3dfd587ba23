import { call, path } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { ifAble, keep, listOr } from '../../settings.js';
import { say, state } from '../../state.js';
import { isOfWorkspace, loadWorkspaces, workspace } from '../../workspaces.js';
import { refusal } from '../bits.js';
import { createForm, workspaceChoice } from '../controls.js';
import { knowledgeBasePage } from './knowledge-base.js';

const PLACE = 'knowledge';
const MAKE = 'make knowledge bases';

/** The sources of AI agents: documents in knowledge bases of queues, of agents, or of the workspace. */
export const knowledge = { key: PLACE, title: 'Knowledge', load, render };

async function load() {
  const { item } = state.route;
  const [read, documents] = await Promise.all([
    listOr('knowledge bases', () => call('GET', `${path('kbs')}?limit=1000`)),
    item &&
      listOr('documents', () => call('GET', `${path('kbs', item, 'documents')}?limit=1000&sortBy=title`)),
    loadWorkspaces(),
  ]);
  keep(PLACE, { ...read, documents: documents || undefined, documentsOf: item });
}

function render({ items, why, lacks }) {
  if (why) return html`<p class="dim">${why}</p>`;
  const { item } = state.route;
  const open = items.find(({ id }) => id === item);
  if (open) return knowledgeBasePage(open, load);
  return html`
    ${workspaceChoice()}
    <p class="dim">
      AI agents answer from these and from the solutions of earlier tickets of the same queue.
    </p>
    ${item ? html`<p class="dim">This knowledge base no longer exists.</p>` : nothing}
    <ul class="cards">
      ${items.filter(isOfWorkspace).map(card)}
    </ul>
    ${lacks?.[MAKE] ? nothing : create()} ${refusal(PLACE)}
  `;
}

function card({ id, name, global, queues, _count }) {
  const documents = _count && `${_count.kBDocuments} ${_count.kBDocuments === 1 ? 'document' : 'documents'}`;
  const where = global ? 'every queue' : queues.map((queue) => queue.name).join(', ');
  return html`<li>
    <a class="card" href=${settingsAddress(PLACE, id)}>
      <strong>${name}</strong>
      <span class="dim">${[documents, where].filter(Boolean).join(' · ')}</span>
    </a>
  </li>`;
}

function create() {
  return createForm({
    place: PLACE,
    title: 'A new knowledge base',
    button: 'Create knowledge base',
    fields: [{ name: 'name', label: 'Name', required: true, maxlength: 200 }],
    create: async ({ name }) => {
      const body = { name, ...(workspace() && { workspaceId: workspace().id }) };
      const { id } = await ifAble(PLACE, MAKE, () => call('POST', path('kbs'), body));
      say(`${name} is created.`);
      goTo(settingsAddress(PLACE, id));
    },
  });
}
