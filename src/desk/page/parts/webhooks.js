import { api } from '../api.js';
import { html, nothing } from '../lit.js';
import { loadDeliveries, loadSettings } from '../settings.js';
import { attempt, say, state } from '../state.js';
import { ago, moment } from '../words.js';
import { refusal } from './bits.js';

const PLACE = 'webhooks';
const act = (work) => void attempt(PLACE, work);

/** Where the service tells of changes, and how that went. */
export function webhooks({ items, why }) {
  return html`
    <section class="settings" aria-labelledby="webhooks-title">
      <h2 id="webhooks-title">Webhooks</h2>
      ${why ? html`<p class="dim">${why}</p>` : nothing}
      ${items.length === 0 && !why ? html`<p class="dim">There is none.</p>` : nothing}
      <ul>
        ${items.map(webhook)}
      </ul>
      ${create()} ${refusal(PLACE)}
    </section>
  `;
}

function webhook({ id, name, url, active, eventTypes }) {
  const isOpen = state.settings.opened === id;
  const change = (body) =>
    act(async () => {
      await api.updateWebhook(id, body);
      await loadSettings();
    });
  const ping = () =>
    act(async () => {
      await api.ping(id);
      say('A test event is on its way.');
      await loadDeliveries(id);
    });
  const remove = () => {
    if (!window.confirm(`Remove the webhook to ${url}?`)) return;
    act(async () => {
      await api.deleteWebhook(id);
      await loadSettings();
    });
  };
  return html`<li class="webhook">
    <p>
      <strong>${name || 'Webhook'}</strong>
      <span class="chip">${active ? 'active' : 'off'}</span>
      <span class="dim">${eventTypes.join(', ')}</span>
    </p>
    <p><code>${url}</code></p>
    <p class="chips">
      <button class="plain" @click=${() => change({ active: !active })}>
        ${active ? 'Turn off' : 'Turn on'}
      </button>
      <button class="plain" @click=${ping}>Send a test</button>
      <button class="plain" aria-expanded=${isOpen} @click=${() => act(() => loadDeliveries(id))}>
        Deliveries
      </button>
      <button class="plain danger" @click=${remove}>Remove</button>
    </p>
    ${isOpen ? deliveries(id) : nothing}
  </li>`;
}

function deliveries(webhookId) {
  const { items, why } = state.settings.deliveries;
  if (why) return html`<p class="dim">${why}</p>`;
  if (items.length === 0) return html`<p class="dim">Nothing was sent yet.</p>`;
  const again = (id) =>
    act(async () => {
      await api.redeliver(webhookId, id);
      say('It is sent again.');
      await loadDeliveries(webhookId);
    });
  return html`<ol class="deliveries">
    ${items.map(({ id, eventType, action, state: went, attempts, createdAt }) => {
      const { status, error } = attempts.at(-1) ?? {};
      return html`<li>
        <span>${eventType} ${action}</span>
        <span class="chip" data-went=${went}>${went}</span>
        <span class="dim">${status ?? error ?? ''}</span>
        <time datetime=${createdAt} title=${moment(createdAt)}>${ago(createdAt)}</time>
        <button class="quiet" @click=${() => again(id)}>Send again</button>
      </li>`;
    })}
  </ol>`;
}

function create() {
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const value = (name) => form.elements[name].value.trim() || null;
    act(async () => {
      await api.createWebhook({ url: value('url'), name: value('name'), secret: value('secret') });
      form.reset();
      await loadSettings();
    });
  };
  return html`<form class="row-form" @submit=${submit}>
    <label class="field"><span>Address of a new webhook</span><input name="url" type="url" required /></label>
    <label class="field"><span>Name</span><input name="name" maxlength="100" /></label>
    <label class="field"
      ><span>Secret that signs it</span
      ><input name="secret" type="password" autocomplete="off" minlength="24"
    /></label>
    <button class="primary" ?disabled=${state.busy.has(PLACE)}>Add webhook</button>
  </form>`;
}
