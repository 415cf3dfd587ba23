import { api, Refusal } from './api.js';
import { loadPeople } from './load.js';
import { change, state } from './state.js';
import { groupOf } from './words.js';

/** Hits read, and tickets shown. */
const LOOKED_AT = 10;
const SHOWN = 3;

export const isSolved = ({ status }) => ['done', 'closed'].includes(groupOf(status));

/**
 * Finds tickets similar to a text, once per text, and stores them for a place of the page, solved ones first.
 */
export async function findSimilar(place, text, excludeTicketId) {
  const words = text.trim().slice(0, 500);
  if (state.similar.place === place && state.similar.words === words) return;
  const items = state.similar.place === place ? state.similar.items : [];
  change({ similar: { place, words, items } });
  if (words === '') return change({ similar: { place, words, items: [] } });
  const tickets = await hits(words, excludeTicketId);
  if (state.similar.place !== place || state.similar.words !== words) return;
  const best = [...tickets.filter(isSolved), ...tickets.filter((each) => !isSolved(each))].slice(0, SHOWN);
  change({ similar: { place, words, items: best } });
  await loadPeople(best.map(({ assigneeId }) => assigneeId));
}

/** Empty if the search fails: similar tickets are optional and must not block the form. */
async function hits(query, excludeTicketId) {
  try {
    return (await api.search({ query, excludeTicketId, limit: LOOKED_AT })).items;
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
