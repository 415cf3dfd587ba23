import { api, Refusal } from './api.js';
import { change, state } from './state.js';

/** The list, or why it is not shown: a service may lack the operation, and a key the right. */
async function listOr(what, read) {
  try {
    return { items: (await read()).items };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isMissing = error.status === 404 || error.status === 405;
    return { items: [], why: isMissing ? `This service does not show its ${what} here.` : error.message };
  }
}

export async function loadSettings() {
  const [keys, webhooks] = await Promise.all([
    listOr('API keys', api.keys),
    listOr('webhooks', api.webhooks),
  ]);
  change({ settings: { ...state.settings, keys, webhooks } });
}

export async function loadDeliveries(webhookId) {
  const deliveries = await listOr('deliveries', () => api.deliveries(webhookId));
  change({ settings: { ...state.settings, opened: webhookId, deliveries } });
}
