/** Everything that the page shows; the whole page is redrawn after a change. */
export const state = {
  /** `{ userId }`, which is null for the key's own user and absent before one chose; null where nobody is signed in, undefined while that is not known. */
  session: undefined,
  /** Where one is: `{ name: 'list' | 'ticket' | 'new' | 'settings' }`, with the `code` of a ticket, or the `section` and `item` of the settings. */
  route: { name: 'list' },
  filters: { status: 'open' },
  /** `matches`: of a search, why each was found. */
  list: { items: [], total: 0, limit: 50 },
  /** The open ticket: `{ record, messages, earlier }`, or `{ error }`. */
  ticket: {},
  /** Tickets like what stands at a place: the open ticket's id, or the form for a new one. */
  similar: { place: undefined, words: '', items: [] },
  /** What the workspace offers to choose from. */
  queues: [],
  statuses: [],
  tags: [],
  forms: [],
  fields: [],
  /** Users by id, as far as they were read. */
  people: new Map(),
  /** The last write that can be taken back: `{ id, field, back, expected }`, `id` being the ticket's. */
  undo: undefined,
  /** The ticket that is about to be declined. */
  declining: undefined,
  /** What a field of people found, by the field's key. */
  found: {},
  /** Keys of what is being sent. */
  busy: new Set(),
  /** A refusal by the place where it is shown. */
  errors: {},
  /** What each section of the settings has read and keeps, by its key. */
  settings: {},
  /** What was asked of the figures, and the answer. */
  analytics: {},
  /** Windows above the page. */
  help: false,
  choosing: false,
};

let draw = () => undefined;
let isPlanned = false;

export function drawWith(how) {
  draw = how;
}

export function change(part = {}) {
  Object.assign(state, part);
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    draw();
  });
}

/** Says it to those who listen instead of looking. */
export function say(text) {
  document.getElementById('said').textContent = text;
}

/** Where one goes on, as soon as what changed is drawn: what had the focus may be gone. Nothing is typed in between. */
export function focusOn(selector) {
  change();
  queueMicrotask(() => document.querySelector(selector)?.focus());
}

/** Does `work` once at a time per `place`; its refusal is shown there. Resolves to whether it was done. */
export async function attempt(place, work) {
  if (state.busy.has(place)) return false;
  state.busy.add(place);
  delete state.errors[place];
  change();
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Refusal') throw error;
    state.errors[place] = error.message;
    say(error.message);
    return false;
  } finally {
    state.busy.delete(place);
    change();
  }
}
