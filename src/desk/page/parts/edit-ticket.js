import { api } from '../api.js';
import { drafts } from '../drafts.js';
import { html, live, nothing } from '../lit.js';
import { loadList, loadTicket } from '../load.js';
import { worksOn } from '../may.js';
import { attempt, change, focusOn, say, state } from '../state.js';
import { onCtrlEnter, refusal } from './bits.js';

const place = (id) => `edit ${id}`;
const textsOf = ({ title, description }) => ({ title: title ?? '', description: description ?? '' });
const FIELDS = ['title', 'description'];

/**
 * The draft of the open ticket's title and description: `{ title, description, base, seen }`. `base` is the state when
 * editing began, `seen` the latest state of other users that the editor has seen. It is stored like every draft.
 */
export function edited() {
  const { record } = state.ticket;
  const kept = record && drafts.get(place(record.id));
  return kept ? JSON.parse(kept) : undefined;
}

function keep(id, draft) {
  drafts.set(place(id), draft ? JSON.stringify(draft) : '');
  change();
}

export function beginEdit() {
  const { record } = state.ticket;
  if (!record || !worksOn(record)) return;
  const base = textsOf(record);
  if (!edited()) keep(record.id, { ...base, base, seen: base });
  focusOn('#edit-title');
}

function leaveEdit(id) {
  keep(id, undefined);
  focusOn('main h1');
}

/** The fields that were changed both here and by other users. */
function clashes({ base, ...mine }, now) {
  return FIELDS.filter((key) => mine[key] !== base[key] && now[key] !== base[key] && now[key] !== mine[key]);
}

async function save(draft) {
  const { id } = state.ticket.record;
  const isDone = await attempt(place(id), async () => {
    const record = await api.ticket(id);
    const now = textsOf(record);
    // The user has not yet seen the text that saving would replace.
    if (clashes(draft, now).some((key) => now[key] !== draft.seen[key])) {
      change({ ticket: { ...state.ticket, record } });
      keep(id, { ...draft, seen: now });
      say('Another user changed this.');
      return;
    }
    const data = Object.fromEntries(
      FIELDS.filter((key) => draft[key] !== draft.base[key]).map((key) => [key, draft[key].trim() || null]),
    );
    if (Object.keys(data).length > 0) await api.updateTicket(id, data);
    say('Saved.');
    leaveEdit(id);
  });
  if (isDone) await Promise.all([loadTicket(), loadList()]);
}

export function editTicket(draft) {
  const { record } = state.ticket;
  const isBusy = state.busy.has(place(record.id));
  const clashing = clashes(draft, textsOf(record));
  const type =
    (key) =>
    ({ target }) =>
      keep(record.id, { ...draft, [key]: target.value });
  const submit = (event) => {
    event.preventDefault();
    void save(draft);
  };
  return html`<form class="edit fields" @submit=${submit} @keydown=${onCtrlEnter(() => void save(draft))}>
    <label class="field">
      <span>Title</span>
      <input
        id="edit-title"
        maxlength="500"
        .value=${live(draft.title)}
        ?readonly=${isBusy}
        @input=${type('title')}
      />
    </label>
    <label class="field">
      <span>Description</span>
      <textarea
        rows="8"
        maxlength="100000"
        .value=${live(draft.description)}
        ?readonly=${isBusy}
        @input=${type('description')}
      ></textarea>
    </label>
    ${
      clashing.length > 0
        ? html`<div class="notice" role="status">
            <p>Somebody changed the ${clashing.join(' and the ')} meanwhile:</p>
            ${clashing.map((key) => html`<blockquote>${record[key] || 'empty'}</blockquote>`)}
            <p>Saving puts yours in its place.</p>
          </div>`
        : nothing
    }
    ${refusal(place(record.id))}
    <p class="chips">
      <button class="primary" ?disabled=${isBusy}>${clashing.length > 0 ? 'Save mine' : 'Save'}</button>
      <button type="button" class="plain" @click=${() => leaveEdit(record.id)}>
        ${clashing.length > 0 ? 'Keep theirs' : 'Cancel'}
      </button>
    </p>
  </form>`;
}
