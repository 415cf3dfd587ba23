import { loadList, loadTicket } from './load.js';
import { change, state } from './state.js';

let source;
let isStale = false;

/** Follows what others change, for as long as somebody is signed in. */
export function follow() {
  source?.close();
  source = undefined;
  if (!state.session) return;
  source = new EventSource('/desk/live');
  // Also after the connection was lost: what happened meanwhile nobody told.
  source.addEventListener('ready', () => refresh());
  source.addEventListener('changed', ({ data }) => {
    const { tickets } = JSON.parse(data);
    refresh(tickets);
  });
  source.addEventListener('signed-out', () => change({ session: null }));
}

function refresh(tickets) {
  if (document.hidden) {
    isStale = true;
    return;
  }
  void loadList();
  const open = state.ticket.record?.id;
  if (state.route.name === 'ticket' && (tickets === undefined || tickets.includes(open))) void loadTicket();
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || !isStale) return;
  isStale = false;
  refresh();
});
