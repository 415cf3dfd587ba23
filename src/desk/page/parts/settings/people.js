import { api, call, path, readSessions } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { ifAble, keep, kept, listOr } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { fullName } from '../../words.js';
import { avatar } from '../avatar.js';
import { refusal, select } from '../bits.js';
import { createForm } from '../controls.js';
import { accessOf } from '../roles.js';
import { hasAccess } from './access.js';
import { personPage } from './person.js';
import { findByEmail, readPeople, usualTeam } from './people-records.js';

const PLACE = 'people';
const NEW = 'new-person';
const MAKE = 'add people';
const AT_ONCE = 200;

/** The people of the service, and their chat accounts. */
export const people = { key: PLACE, title: 'People', load, render };

export const isUnlinked = ({ isBot, chatUsers }) => !isBot && chatUsers.length === 0;

/** The service lacks these filters: the page applies them to the loaded people. */
const KINDS = {
  all: ['Everybody', () => true],
  unlinked: ['Without a chat account', isUnlinked],
  several: ['With several chat accounts', ({ chatUsers }) => chatUsers.length > 1],
  admins: ['Admins', ({ role }) => role === 'admin'],
  agents: ['Agents', ({ role }) => role === 'agent'],
  deactivated: ['Deactivated', ({ deactivatedAt }) => deactivatedAt],
  guests: ['Guests', ({ isGuestCreated }) => isGuestCreated],
  programs: ['Programs', ({ isBot }) => isBot],
};

let turn = 0;

async function load() {
  const mine = ++turn;
  const { search = '', limit = AT_ONCE } = kept(PLACE);
  const { item } = state.route;
  let [total, named] = [0, undefined];
  const read = await listOr('people', async () => {
    const found = await readPeople(search, limit);
    total = found.totalCount;
    // A person whom the address names need not be among the loaded ones.
    if (item && !found.items.some(({ id }) => id === item))
      [named] = (await api.users({ set: item, limit: 1 })).items;
    return found;
  });
  const team = usualTeam(read.items) ?? kept(PLACE).team;
  const person = read.items.find(({ id }) => id === item) ?? named;
  const access = person && hasAccess(person) ? await readAccess(person) : undefined;
  if (mine === turn) keep(PLACE, { ...read, access, named, total, search, limit, team });
}

/** A person's sessions, and the active admins: the last one stays one. */
async function readAccess({ id }) {
  const [sessions, { items: admins }] = await Promise.all([
    readSessions(id).catch(() => []),
    api.users({ role: 'admin', limit: 100 }),
  ]);
  return { id, sessions, admins: admins.filter(({ deactivatedAt }) => !deactivatedAt) };
}

async function reload(part) {
  keep(PLACE, part);
  await attempt(PLACE, load);
}

function render({ items, why, total, lacks, kind = 'all' }) {
  if (why) return html`<p class="dim">${why}</p>`;
  if (state.route.item) return personPage(state.route.item, load);
  const shown = items.filter(KINDS[kind][1]);
  return html`
    <p class="dim">Chat accounts are linked to people by e-mail when a person first writes in chat.</p>
    ${unlinked(items, kind)} ${filters(kind)}
    <p class="dim" role="status">${count(shown.length, items.length, total)}</p>
    <ul class="list-rows people">
      ${shown.map(row)}
    </ul>
    ${
      items.length < total
        ? html`<p class="more">
            <button
              class="plain"
              ?disabled=${state.busy.has(PLACE)}
              @click=${() => void reload({ limit: kept(PLACE).limit + AT_ONCE })}
            >
              Read more
            </button>
          </p>`
        : nothing
    }
    ${refusal(PLACE)} ${lacks?.[MAKE] ? nothing : create()} ${refusal(NEW)}
  `;
}

function count(shown, read, total) {
  const all = total > read ? `the first ${read} of ${total}` : `${read}`;
  return shown === read ? `Shown: ${all}.` : `Shown: ${shown} of ${all}.`;
}

function unlinked(items, kind) {
  const count = items.filter(isUnlinked).length;
  if (count === 0 || kind === 'unlinked') return nothing;
  return html`<p class="notice">
    ${count === 1 ? 'One person here has' : `${count} people here have`} no chat account: in chat they hear of
    nothing.
    <button class="quiet" @click=${() => keep(PLACE, { kind: 'unlinked' })}>Show them</button>
  </p>`;
}

let typing;

function filters(kind) {
  const find = (text) => {
    clearTimeout(typing);
    void reload({ search: text.trim(), limit: AT_ONCE });
  };
  const input = ({ target }) => {
    clearTimeout(typing);
    typing = setTimeout(() => find(target.value), 300);
  };
  const submit = (event) => {
    event.preventDefault();
    find(event.target.elements.search.value);
  };
  return html`<form class="row-form" role="search" @submit=${submit}>
    <label class="field">
      <span>Search</span>
      <input
        name="search"
        type="search"
        placeholder="Name, e-mail, or a chat account’s id"
        value=${kept(PLACE).search ?? ''}
        @input=${input}
      />
    </label>
    ${select({
      label: 'Who',
      value: kind,
      options: Object.entries(KINDS).map(([key, [words]]) => [key, words]),
      onChange: (chosen) => keep(PLACE, { kind: chosen }),
    })}
  </form>`;
}

function row(person) {
  const { id, email, isBot, isGuestCreated, chatUsers, deactivatedAt } = person;
  const name = fullName(person);
  return html`<li>
    <a href=${settingsAddress(PLACE, id)} data-inactive=${deactivatedAt ? '' : nothing}>
      ${avatar(person)}
      <div class="main">
        <p><strong>${name}</strong></p>
        ${email && email !== name ? html`<p class="dim">${email}</p>` : nothing}
      </div>
      <span class="chips">
        ${isBot ? html`<span class="chip">program</span>` : nothing}
        ${isGuestCreated ? html`<span class="chip">guest</span>` : nothing}
        ${isUnlinked(person) ? html`<span class="chip">no chat account</span>` : nothing}
        ${deactivatedAt ? html`<span class="chip">deactivated</span>` : nothing}
      </span>
      <span class="role">
        ${hasAccess(person) ? accessOf(person) : nothing}
        <span class="dim">${chatUsers.map(({ chatUserId }) => html`<code>${chatUserId}</code>`)}</span>
      </span>
    </a>
  </li>`;
}

function create() {
  return createForm({
    place: NEW,
    title: 'A new person',
    button: 'Add person',
    fields: [
      { name: 'firstName', label: 'First name', required: true, maxlength: 200 },
      { name: 'lastName', label: 'Last name', maxlength: 200 },
      { name: 'email', label: 'E-mail', type: 'email', required: true, maxlength: 200 },
    ],
    create: async ({ firstName, lastName, email }) => {
      const body = { firstName, lastName: lastName || null, email };
      // The service would update the user who has this e-mail.
      await findByEmail(email);
      const { id } = await ifAble(PLACE, MAKE, () => call('POST', path('users'), body));
      say(`${fullName(body)} is added.`);
      goTo(settingsAddress(PLACE, id));
    },
  });
}
