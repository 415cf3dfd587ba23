import { Refusal } from './api.js';
import { change, state } from './state.js';

/** What a section of the settings keeps beside what it has; `{}` before it was read. */
export const kept = (section) => state.settings[section] ?? {};

export function keep(section, part) {
  change({ settings: { ...state.settings, [section]: { ...kept(section), ...part } } });
}

/** The list, or why it is not shown: a service may lack the operation, and a key the right. */
export async function listOr(what, read) {
  try {
    return { items: (await read()).items, why: undefined };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isMissing = error.status === 404 || error.status === 405;
    return { items: [], why: isMissing ? `This service does not show its ${what} here.` : error.message };
  }
}
