import { loadList, loadTicket } from './load.js';
import { hasList } from './route.js';
import { change, state } from './state.js';

const AGAIN_MS = 5_000;
let source;

/**
 * Follows changes of other users while a user is signed in and the tab is visible: a browser has few connections to one
 * server, and tabs in the background would take them all.
 */
export function follow() {
  source?.close();
  source = undefined;
  if (!state.session || document.hidden) return;
  source = new EventSource('/desk/live');
  // Also after a lost connection: changes in between sent no event.
  source.addEventListener('ready', () => refresh());
  source.addEventListener('changed', ({ data }) => refresh(JSON.parse(data).tickets));
  // After an error response, for example of a proxy, the browser does not reconnect by itself.
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
