import { call, path } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { keep, kept, listOr } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { ago, moment } from '../../words.js';
import { refusal } from '../bits.js';

const PLACE = 'webhooks';
const act = (work) => void attempt(PLACE, work);

/** Webhook endpoints and their deliveries. */
export const webhooks = { key: PLACE, title: 'Webhooks', load, render };

async function load() {
  keep(PLACE, await listOr('webhooks', () => call('GET', path(PLACE))));
}

async function loadDeliveries(id) {
  const latest = () => call('GET', `${path(PLACE, id, 'deliveries')}?limit=20&sortDirection=desc`);
  keep(PLACE, { opened: id, deliveries: await listOr('deliveries', latest) });
}

function render({ items, why }) {
  return html`
    ${why ? html`<p class="dim">${why}</p>` : nothing}
    ${items.length === 0 && !why ? html`<p class="dim">There is none.</p>` : nothing}
    <ul>
      ${items.map(webhook)}
    </ul>
    ${create()} ${refusal(PLACE)}
  `;
}

function webhook({ id, name, url, active, eventTypes }) {
  const isOpen = kept(PLACE).opened === id;
  const change = (body) =>
    act(async () => {
      await call('PUT', path(PLACE, id), body);
      await load();
    });
  const ping = () =>
    act(async () => {
      await call('POST', path(PLACE, id, 'ping'));
      say('Test event sent.');
      await loadDeliveries(id);
    });
  const remove = () => {
    if (!window.confirm(`Remove the webhook to ${url}?`)) return;
    act(async () => {
      await call('DELETE', path(PLACE, id));
      await load();
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
  const { items, why } = kept(PLACE).deliveries;
  if (why) return html`<p class="dim">${why}</p>`;
  if (items.length === 0) return html`<p class="dim">No deliveries yet.</p>`;
  const again = (id) =>
    act(async () => {
      await call('POST', path(PLACE, webhookId, 'deliveries', id, 'redeliver'));
      say('Sent again.');
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
      await call('POST', path(PLACE), {
        url: value('url'),
        name: value('name'),
        secret: value('secret'),
      });
      form.reset();
      await load();
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
