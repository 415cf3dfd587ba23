import { loadList } from './load.js';
import { goTo, listAddress } from './route.js';
import { change, state } from './state.js';

/** The same list with one filter changed; an open ticket stays open next to it. */
export function filterBy(part) {
  change({ filters: { ...state.filters, ...part } });
  if (state.route.name === 'list') goTo(listAddress(state.filters));
  else void loadList();
}
