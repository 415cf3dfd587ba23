import { call, path, Refusal } from '../../api.js';
import { html, nothing, repeat } from '../../lit.js';
import { loadChoices } from '../../load.js';
import { listAddress } from '../../route.js';
import { ifAble, keep, kept, listOr } from '../../settings.js';
import { attempt, focusOn, say, state } from '../../state.js';
import { groupOf } from '../../words.js';
import { loadWorkspaces, workspace } from '../../workspaces.js';
import { refusal, select } from '../bits.js';
import { checks, chosenIn, textField, workspaceChoice } from '../controls.js';
import { mover } from '../order.js';

const PLACE = 'statuses';
const MAKE = 'make statuses';
const NEW = 'status-new';

/** The meaning of each status group in lists, chat and reports. */
const MEANINGS = {
  open: 'Not started. Counts as open.',
  'in-progress': 'In progress: 👀 in chat. Counts as open.',
  waiting: 'Waiting for someone else: ⏸️ in chat. Counts as open.',
  done: 'Resolved: ✅ in chat. The requester may be asked for a rating, and reopens it by replying.',
  closed: 'Closed: 🔒 in chat. The requester reopens it by replying.',
  other: 'The service defines its meaning.',
};

/** The statuses of tickets, in the order in which users choose them. */
export const statuses = { key: PLACE, title: 'Statuses', load, render };

async function load() {
  const [read] = await Promise.all([
    listOr('statuses', () => call('GET', `${path(PLACE)}?limit=1000`)),
    loadWorkspaces(),
  ]);
  keep(PLACE, read);
}

/** The statuses of the shown workspace, in order. */
function ofWorkspace() {
  const id = workspace()?.id;
  return kept(PLACE)
    .items.filter(({ statusGroup }) => !id || statusGroup.workspaceId === id)
    .toSorted((a, b) => a.order - b.order);
}

/** Runs the change once at a time per place, then reloads the statuses here and wherever one is chosen. */
const change = (place, work, said) =>
  attempt(place, async () => {
    await work();
    say(said);
    await Promise.all([load(), loadChoices()]);
  });

function render({ why, lacks }) {
  if (why) return html`<p class="dim">${why}</p>`;
  const items = ofWorkspace();
  return html`
    ${workspaceChoice()}
    <p class="dim">
      This is the order in which people choose among them. What a status means is said by its group, which
      also gives it its colour.
    </p>
    <ol class="ordered">
      ${repeat(
        items,
        ({ id }) => id,
        (status, index) => row(status, index, items.length),
      )}
    </ol>
    ${refusal(PLACE)} ${lacks?.[MAKE] ? nothing : create(items)} ${refusal(NEW)} ${meanings(items)}
  `;
}

function row(status, index, count) {
  const { id, label, system, statusGroup, requestTypes } = status;
  const isEdited = kept(PLACE).edited === id;
  const types = requestTypes.length;
  return html`<li>
    <div class="line">
      ${mover({ words: `“${label}”`, index, count, onMove: (to) => moveTo(id, to) })}
      <span class="status" data-group=${groupOf(status)}>${label}</span>
      <span class="dim">
        ${statusGroup.label === label ? nothing : `means ${statusGroup.label}`}
        ${types > 0 ? `for ${types} request ${types === 1 ? 'type' : 'types'} only` : nothing}
      </span>
      <span class="spring"></span>
      <button
        class="quiet"
        aria-expanded=${isEdited}
        aria-label=${`Change “${label}”`}
        data-change=${id}
        @click=${() => edit(isEdited ? undefined : id)}
      >
        Change
      </button>
      ${
        system
          ? nothing
          : html`<button class="quiet" aria-label=${`Remove “${label}”`} @click=${() => void remove(status)}>
              Remove
            </button>`
      }
    </div>
    ${isEdited ? editor(status) : nothing} ${refusal(placeOf(id))}
    ${
      state.errors[placeOf(id)] && !isEdited
        ? html`<p><a href=${listAddress({ status: id })}>Look at its tickets</a></p>`
        : nothing
    }
  </li>`;
}

const placeOf = (id) => `status ${id}`;

function edit(id) {
  const { edited } = kept(PLACE);
  keep(PLACE, { edited: id });
  focusOn(id ? '.edit input' : `[data-change="${CSS.escape(edited)}"]`);
}

function editor(status) {
  const { id, label, system, requestTypes } = status;
  const tied = requestTypes.map(({ requestTypeId }) => requestTypeId);
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const typed = form.elements.label.value.trim();
    // Assigned request types that are not offered here stay.
    const others = tied.filter((each) => !state.forms.some((type) => type.id === each));
    const wanted = [...others, ...chosenIn(form)];
    const isTied = wanted.length !== tied.length || wanted.some((each) => !tied.includes(each));
    const body = { id, ...(typed !== label && { label: typed }), ...(isTied && { requestTypeIds: wanted }) };
    void change(placeOf(id), () => call('PUT', path(PLACE), body), 'Saved.').then((done) => done && edit());
  };
  return html`<form class="edit" @submit=${submit}>
    ${textField({ name: 'label', label: 'Name', value: label, required: true, maxlength: 100 })}
    ${system ? html`<p class="dim">Every request type has it.</p>` : ties(tied)}
    <p class="chips">
      <button class="primary" ?disabled=${state.busy.has(placeOf(id))}>Save</button>
      <button type="button" class="plain" @click=${() => edit()}>Cancel</button>
    </p>
  </form>`;
}

const ties = (tied) =>
  state.forms.length === 0
    ? nothing
    : html`<fieldset class="checks">
        <legend>Only for these request types; none ticked: for all</legend>
        ${checks(state.forms, tied)}
      </fieldset>`;

async function remove({ id, label }) {
  if (!window.confirm(`Remove “${label}”? It can no longer be chosen.`)) return;
  const isDone = await attempt(placeOf(id), async () => {
    try {
      await call('DELETE', path(PLACE, id));
    } catch (error) {
      if (error.status === 409)
        throw new Refusal(409, 'Tickets or request types have this status. Give them another one first.');
      if (error.status !== 404 && error.status !== 405) throw error;
      await load();
      if (kept(PLACE).items.some((status) => status.id === id))
        throw new Refusal(error.status, 'This service does not let the desk remove statuses.');
    }
    say(`“${label}” is removed.`);
    await Promise.all([load(), loadChoices()]);
  });
  if (isDone) focusOn('main h1');
}

let line = Promise.resolve();

/**
 * Gives the status the order of the one at its new position, which the service moves up; moves run one after
 * the other.
 */
function moveTo(id, to) {
  line = line
    .catch(() => undefined)
    .then(async () => {
      const items = ofWorkspace();
      const moved = items.find((status) => status.id === id);
      const others = items.filter((status) => status !== moved);
      const order = others[to]?.order ?? others.at(-1).order + 1;
      await change(
        PLACE,
        () => call('PUT', path(PLACE), { id, order }),
        `“${moved.label}” is number ${to + 1} of ${items.length}.`,
      );
    });
  return line;
}

/** The service defines the groups; only those with a status are known. */
function groupsOf(items) {
  return [...new Map(items.map(({ statusGroup }) => [statusGroup.id, statusGroup])).values()];
}

function create(items) {
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const { label, group } = form.elements;
    const types = chosenIn(form);
    const body = {
      label: label.value.trim(),
      statusGroupId: group.value,
      workspaceId: workspace()?.id,
      ...(types.length > 0 && { requestTypeIds: types }),
    };
    void change(
      NEW,
      () => ifAble(PLACE, MAKE, () => call('POST', path(PLACE), body)),
      `“${body.label}” is the last of the list.`,
    ).then((done) => done && form.reset());
  };
  return html`<h2>A new status</h2>
    <form @submit=${submit}>
      <div class="row-form">
        ${textField({ name: 'label', label: 'Name', required: true, maxlength: 100, placeholder: 'Waiting for a part' })}
        ${select({
          label: 'Means',
          name: 'group',
          value: groupsOf(items)[0]?.id,
          options: groupsOf(items).map(({ id, label }) => [id, label]),
        })}
        <button class="primary" ?disabled=${state.busy.has(NEW)}>Create status</button>
      </div>
      ${
        state.forms.length > 0
          ? html`<details>
              <summary>Only for some request types</summary>
              ${ties([])}
            </details>`
          : nothing
      }
    </form>`;
}

function meanings(items) {
  return html`<h2>What they mean</h2>
    <dl class="meanings">
      ${groupsOf(items).map((group) => {
        const kind = groupOf({ statusGroup: group });
        return html`<div>
          <dt><span class="status" data-group=${kind}>${group.label}</span></dt>
          <dd class="dim">${MEANINGS[kind]}</dd>
        </div>`;
      })}
    </dl>`;
}
