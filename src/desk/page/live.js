import { loadList, loadTicket } from './load.js';
import { hasList } from './route.js';
import { loadSession } from './session.js';
import { sessionEnded, state } from './state.js';

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
  source.addEventListener('ready', () => {
    refresh();
    checkSession();
  });
  source.addEventListener('changed', ({ data }) => refresh(JSON.parse(data).tickets));
  source.addEventListener('access', checkSession);
  // After an error response, of a proxy or because the session ended, the browser does not reconnect by itself.
  source.addEventListener('error', ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return;
    checkSession();
    setTimeout(follow, AGAIN_MS);
  });
  source.addEventListener('signed-out', sessionEnded);
}

/** Reads what the person may do now, and whether they are still signed in. */
const checkSession = () => void loadSession().catch(() => undefined);

function refresh(tickets) {
  if (hasList(state.route)) void loadList();
  const isOpen = tickets === undefined || tickets.includes(state.ticket.record?.id);
  if (state.route.name === 'ticket' && isOpen) void loadTicket();
}

document.addEventListener('visibilitychange', follow);
