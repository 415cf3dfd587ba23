import { html } from '../lit.js';
import { listAddress } from '../route.js';
import { state } from '../state.js';
import { apiKeys } from './api-keys.js';
import { webhooks } from './webhooks.js';

export function settingsPage() {
  const { keys, webhooks: hooks } = state.settings;
  return html`
    <a class="back quiet" href=${listAddress(state.filters)}>← Tickets</a>
    <h1 tabindex="-1">Settings</h1>
    ${keys ? apiKeys(keys) : html`<p class="dim" aria-busy="true">Reading the settings…</p>`}
    ${hooks ? webhooks(hooks) : ''}
  `;
}
