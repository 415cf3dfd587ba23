import { api, Refusal } from './api.js';
import { loadTicket } from './load.js';
import { state } from './state.js';

/** A claim holds for two minutes; typing renews it in time. */
const AGAIN_MS = 60_000;

/** When each ticket was claimed last; never where the service knows no claims. */
const claimed = new Map();

/** Claims the open ticket for the signed-in user. If another user answers it, the ticket says so. */
export async function claim() {
  const { id } = state.ticket.record;
  const { userId } = state.session;
  if (!userId || Date.now() - (claimed.get(id) ?? 0) < AGAIN_MS) return;
  claimed.set(id, Date.now());
  try {
    await api.claim(id, userId);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404 || error.status === 405) claimed.set(id, Infinity);
    if (error.status === 409) await loadTicket();
  }
}
