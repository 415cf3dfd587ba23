import { call, path } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { keep, kept, listOr } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { ago, moment } from '../../words.js';
import { refusal, select } from '../bits.js';

const PLACE = 'api-keys';
const ROLES = [
  ['agent', 'Agent'],
  ['read', 'Read only'],
  ['admin', 'Admin'],
];

/** Lists API keys by name, creates and revokes them (specification, Authentication 3 and 4). */
export const apiKeys = { key: PLACE, title: 'API keys', load, render };

async function load() {
  keep(PLACE, await listOr('API keys', () => call('GET', path(PLACE))));
}

function render({ items, why }) {
  return html`${why ? html`<p class="dim">${why}</p>` : [made(), table(items), create()]} ${refusal(PLACE)}`;
}

function table(items) {
  return html`<div class="wide" tabindex="0" role="region" aria-label="API keys">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Begins with</th>
          <th>Role</th>
          <th>Created</th>
          <th>Last used</th>
          <th><span class="only-read">Revoke</span></th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          ({ id, name, prefix, role, createdAt, lastUsedAt }) =>
            html`<tr>
              <td>${name}</td>
              <td><code>${prefix}</code></td>
              <td>${role}</td>
              <td><time datetime=${createdAt} title=${moment(createdAt)}>${ago(createdAt)}</time></td>
              <td>
                ${lastUsedAt ? html`<time datetime=${lastUsedAt} title=${moment(lastUsedAt)}>${ago(lastUsedAt)}</time>` : 'never'}
              </td>
              <td>
                <button
                  class="plain danger"
                  aria-label=${`Revoke ${name}`}
                  @click=${() => void revoke(id, name)}
                >
                  Revoke
                </button>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

async function revoke(id, name) {
  if (!window.confirm(`Revoke “${name}”? Whatever uses this key stops working at once.`)) return;
  await attempt(PLACE, async () => {
    await call('DELETE', path(PLACE, id));
    say(`${name} is revoked.`);
    await load();
  });
}

/** The only time that a key is shown. */
function made() {
  const { made: key } = kept(PLACE);
  if (!key) return nothing;
  const copy = async ({ target }) => {
    // Over plain http from another machine, a page may not write to the clipboard: the key is selected to be
    // copied by hand.
    if (!navigator.clipboard)
      return getSelection().selectAllChildren(target.closest('.made').querySelector('code'));
    await navigator.clipboard.writeText(key);
    say('Copied.');
  };
  return html`<div class="made">
    <p>Copy the key now; it is not shown again.</p>
    <p><code>${key}</code></p>
    <p class="chips">
      <button class="primary" @click=${copy}>Copy</button>
      <button class="plain" @click=${() => keep(PLACE, { made: undefined })}>I have copied it</button>
    </p>
  </div>`;
}

function create() {
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    void attempt(PLACE, async () => {
      const { name, role } = form.elements;
      const { key } = await call('POST', path(PLACE), { name: name.value, role: role.value });
      form.reset();
      keep(PLACE, { made: key });
      await load();
    });
  };
  return html`<form class="row-form" @submit=${submit}>
    <label class="field"><span>Name of a new key</span><input name="name" required maxlength="100" /></label>
    ${select({ label: 'Role', name: 'role', value: 'agent', options: ROLES })}
    <button class="primary" ?disabled=${state.busy.has(PLACE)}>Create key</button>
  </form>`;
}
