import { call, path } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { keep, keepItem, listOr } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { loadWorkspaces, isOfWorkspace, workspace } from '../../workspaces.js';
import { refusal } from '../bits.js';
import { createForm, switchRow, workspaceChoice } from '../controls.js';
import { agentPage } from './agent.js';
import { saveAgent, whySilent } from './agent-records.js';

const PLACE = 'agents';

/** AI agents, which answer requesters until a person takes over (specification, Resources, Agent). */
export const agents = { key: PLACE, title: 'Agents', load, render };

async function load() {
  const every = (name) => () => call('GET', `${path(name)}?limit=1000`);
  const [read, personalities, kbs, types] = await Promise.all([
    listOr('agents', every(PLACE)),
    listOr('personalities', every('personalities')),
    listOr('knowledge bases', every('kbs')),
    listOr('request types', every('request-types')),
    loadWorkspaces(),
  ]);
  keep(PLACE, {
    ...read,
    personalities: personalities.items,
    kbs: kbs.items,
    // Without that list, at least the published request types are known.
    types: types.why ? state.forms : types.items.filter(({ type }) => type !== 'collection'),
  });
}

function render(kept) {
  const { items, why } = kept;
  if (why) return html`<p class="dim">${why}</p>`;
  const open = items.find(({ id }) => id === state.route.item);
  if (open) return agentPage(open, kept);
  const here = items.filter(isOfWorkspace);
  return html`
    ${workspaceChoice()}
    <p class="dim">
      An AI agent answers requests under its own name until an agent takes over. It answers from its knowledge
      bases, and is silent if they have no answer.
    </p>
    ${state.route.item ? html`<p class="dim">This AI agent no longer exists.</p>` : nothing}
    ${here.length === 0 ? html`<p class="dim">There is none.</p>` : nothing}
    <ul class="cards">
      ${here.map(card)}
    </ul>
    ${create()} ${refusal(PLACE)}
  `;
}

function card(agent) {
  const { id, name, enabled, description } = agent;
  const place = `agent-on-${id}`;
  const turn = (on) =>
    attempt(place, async () => {
      keepItem(PLACE, await saveAgent(agent, { enabled: on }));
      say(on ? `${name} is on.` : `${name} is off.`);
    });
  const reasons = enabled ? whySilent(agent, state.queues) : [];
  return html`<li class="agent">
    <p>
      <a href=${settingsAddress(PLACE, id)}><strong>${name}</strong></a>
    </p>
    ${switchRow({ name: place, label: `${name} answers`, help: description || 'No description.', on: enabled, onChange: turn })}
    ${reasons.length > 0 ? html`<p class="notice">On, but it answers nothing yet: ${reasons[0]}</p>` : nothing}
  </li>`;
}

function create() {
  return createForm({
    place: PLACE,
    title: 'New AI agent (off)',
    button: 'Create agent',
    fields: [{ name: 'name', label: 'Name', required: true, maxlength: 200 }],
    create: async ({ name }) => {
      const body = { name, enabled: false, ...(workspace() && { workspaceId: workspace().id }) };
      const { id } = await call('POST', path(PLACE), body);
      say(`${name} is created. It is off.`);
      await load();
      goTo(settingsAddress(PLACE, id));
    },
  });
}
