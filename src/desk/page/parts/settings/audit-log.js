import { call, path, readAudit } from '../../api.js';
import { html, nothing, repeat } from '../../lit.js';
import { loadPeople } from '../../load.js';
import { keep, kept, listOr } from '../../settings.js';
import { attempt, state } from '../../state.js';
import { ago, fullName, moment, nameOf } from '../../words.js';
import { avatar } from '../avatar.js';
import { refusal, select } from '../bits.js';
import { icon } from '../icons.js';
import { personField } from '../person-field.js';

const PLACE = 'audit-log';
const AT_ONCE = 50;

/** The service's actions, in words and in groups. */
const ACTIONS = {
  'Sign-in': {
    'session.started': 'Signed in',
    'session.ended': 'Session ended',
    'sign-in.refused': 'Sign-in refused',
    'sign-in-link.created': 'Sign-in link created',
  },
  People: {
    'user.changed': 'Person changed',
    'user.role-changed': 'Access changed',
    'user.deactivated': 'Deactivated',
    'user.reactivated': 'Reactivated',
    'user.erased': 'Erased',
  },
  'API keys': { 'api-key.created': 'API key created', 'api-key.revoked': 'API key revoked' },
  Records: {
    'settings.changed': 'Settings changed',
    'data.exported': 'Data exported',
    'ticket.archived': 'Ticket archived',
    'message.deleted': 'Message deleted',
    'webhook.deactivated': 'Webhook turned off',
  },
};
/** The fields of a person, as the desk names them. */
const FIELDS = { role: 'Role', queueIds: 'Queues', deactivatedAt: 'Deactivated' };
const WORDS = Object.assign({}, ...Object.values(ACTIONS));

/** The audit log; read-only. */
export const auditLog = { key: PLACE, title: 'Audit log', load, render };

let turn = 0;

async function load() {
  const mine = ++turn;
  const { filters = {}, limit = AT_ONCE } = kept(PLACE);
  const { from, to, ...others } = filters;
  let total = 0;
  const read = await listOr('audit log', async () => {
    const page = await readAudit({
      ...others,
      createdFrom: from && new Date(`${from}T00:00`).toISOString(),
      createdTo: to && new Date(`${to}T23:59:59.999`).toISOString(),
      limit,
    });
    total = page.totalCount;
    return page;
  });
  const isUser = (id) => id?.startsWith('usr_');
  const [keys] = await Promise.all([
    call('GET', path('api-keys')).catch(() => ({ items: [] })),
    loadPeople(read.items.flatMap(({ actorId, subjectId }) => [actorId, subjectId]).filter(isUser)),
  ]);
  if (mine === turn) keep(PLACE, { ...read, filters, limit, total, keys: keys.items });
}

function reload(part) {
  keep(PLACE, part);
  void attempt(PLACE, load);
}

function render({ items, why, total, limit, filters }) {
  if (why) return html`<p class="dim">${why}</p>`;
  return html`
    ${filterFields(filters)} ${refusal(PLACE)}
    <p class="dim" role="status">${total === 1 ? '1 entry' : `${total.toLocaleString('en')} entries`}</p>
    <ul class="list-rows audit">
      ${repeat(items, ({ id }) => id, row)}
    </ul>
    ${
      items.length < total
        ? html`<p class="more">
            <button
              class="plain"
              ?disabled=${state.busy.has(PLACE)}
              @click=${() => reload({ limit: limit + AT_ONCE })}
            >
              Show more
            </button>
          </p>`
        : nothing
    }
  `;
}

function filterFields(filters) {
  const set = (part) => reload({ filters: { ...filters, ...part }, limit: AT_ONCE });
  const day = (key, label) =>
    html`<label class="field">
      <span>${label}</span>
      <input
        type="date"
        .value=${filters[key] ?? ''}
        @change=${({ target }) => set({ [key]: target.value || undefined })}
      />
    </label>`;
  const options = Object.entries(ACTIONS).map(([label, some]) => ({ label, options: Object.entries(some) }));
  return html`<div class="row-form" role="search" aria-label="Filters">
    ${select({
      label: 'Action',
      value: filters.action,
      options: [['', 'Any'], ...options],
      onChange: (action) => set({ action: action || undefined }),
    })}
    ${personField({
      key: 'audit-actor',
      label: 'Done by',
      value: filters.actorId,
      placeholder: 'Anybody',
      onPick: (id) => set({ actorId: id ?? undefined }),
    })}
    ${day('from', 'From')} ${day('to', 'To')}
  </div>`;
}

function row(entry) {
  const { actorId, actorKeyId, action, detail, createdAt } = entry;
  const key = kept(PLACE).keys.find(({ id }) => id === actorKeyId);
  const actor = actorId ? nameOf(actorId) : actorKeyId ? `API key ${key?.name ?? actorKeyId}` : 'The service';
  const words = [subject(entry), summary(entry)].filter(Boolean).join(': ');
  const { changes = {}, operation: _, ...others } = detail ?? {};
  const head = html`
    <span class="sign"
      >${actorId ? avatar(state.people.get(actorId)) : icon(actorKeyId ? 'key' : 'program')}</span
    >
    <div class="main">
      <p><strong>${actor}</strong> <span class="chip">${WORDS[action] ?? action}</span></p>
      ${words ? html`<p class="dim">${words}</p>` : nothing}
    </div>
    <time class="dim" datetime=${createdAt} title=${moment(createdAt)}>${ago(createdAt)}</time>
  `;
  const rows = [
    ...Object.entries(others).map(([name, given]) => [name, value(given)]),
    ...Object.entries(changes).map(([name, change]) => [FIELDS[name] ?? name, changed(change)]),
  ];
  if (rows.length === 0) return html`<li>${head}</li>`;
  return html`<li>
    <details>
      <summary>${head}</summary>
      <dl class="changes">
        ${rows.map(
          ([name, words]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${words}</dd>
            </div>`,
        )}
      </dl>
    </details>
  </li>`;
}

/** The person whom it was done to. */
function subject({ subjectId, actorId }) {
  const person = subjectId !== actorId && state.people.get(subjectId);
  return person ? fullName(person) : '';
}

/** Of a person, the action says what was done: the fields say more than the operation. */
function summary({ action, reason, detail }) {
  if (action === 'session.ended') return '';
  const fields = action.startsWith('user.') ? Object.keys(detail?.changes ?? {}) : [];
  return fields.length > 0 ? fields.map((field) => FIELDS[field] ?? field).join(', ') : reason;
}

/** Of a record that was created or deleted, or of a value that the log does not show, one side is missing. */
function changed({ before, after }) {
  if (before === undefined && after === undefined) return 'changed';
  return [before, after].flatMap((each) => (each === undefined ? [] : value(each))).join(' → ');
}

/** A value in words: people and queues by their names. */
function value(given) {
  const words = [given ?? []].flat().map((each) => {
    const record = state.people.get(each) ?? state.queues.find(({ id }) => id === each);
    return record
      ? (record.name ?? fullName(record))
      : typeof each === 'object'
        ? JSON.stringify(each)
        : String(each);
  });
  return words.join(', ') || 'nothing';
}
