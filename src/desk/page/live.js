import { loadList, loadTicket } from './load.js';
import { hasList } from './route.js';
import { change, state } from './state.js';

const AGAIN_MS = 5_000;
let source;

/**
 * Follows what others change, for as long as somebody is signed in and looks: a browser has few connections to one
 * server, and tabs in the background would take them all.
 */
export function follow() {
  source?.close();
  source = undefined;
  if (!state.session || document.hidden) return;
  source = new EventSource('/desk/live');
  // Also after the connection was lost: what happened meanwhile nobody told.
  source.addEventListener('ready', () => refresh());
  source.addEventListener('changed', ({ data }) => refresh(JSON.parse(data).tickets));
  // A browser that was answered with an error, by a proxy for example, tries no more by itself.
  source.addEventListener('error', ({ target }) => {
    if (target.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN_MS);
  });
  source.addEventListener('signed-out', () => change({ session: null }));
}

function refresh(tickets) {
  if (hasList(state.route)) void loadList();
  const isOpen = tickets === undefined || tickets.includes(state.ticket.record?.id);
  if (state.route.name === 'ticket' && isOpen) void loadTicket();
}

document.addEventListener('visibilitychange', follow);
